/** Placeholder entry point of the `ramet` command. */
process.stdout.write('ramet\n');
