/** A process that has an MCP server and waits to be killed: `node owner.ts <server.ts> <kind> <file>`. */
import { dirname } from 'node:path';
import { openMcpTools } from '../../../src/mcp/index.ts';

const [program = '', ...args] = process.argv.slice(2);
const server = {
  kind: 'stdio',
  name: 'owned',
  folder: dirname(program),
  trusted: false,
  effects: {},
  volatile: {},
  command: process.execPath,
  args: [program, ...args],
  env: {},
} as const;
const signal = new AbortController().signal;
const { tools } = await openMcpTools({ servers: [server], env: process.env, signal, onNotice: console.error });
console.log(tools.length);
setInterval(() => undefined, 1_000);
