/** The mail server as a program: `node mail.ts <outbox>`. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeMailServer } from './mail-tools.ts';

serveStdio(() => makeMailServer(process.argv[2] ?? '/dev/null'));
