/** The entry of the `ramet` command. The version alone needs nothing of the rest. */
import { readVersion } from './version.ts';

const argv = process.argv.slice(2);
if (argv.length === 1 && argv[0] === '--version') process.stdout.write(`${readVersion()}\n`);
else await (await import('./start.ts')).start(argv);
