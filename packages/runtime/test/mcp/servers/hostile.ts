/** Servers nobody should trust: `node hostile.ts <kind> [file]`. They speak the protocol by hand. */
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly cursor?: string };
}

const [kind = '', file = '/dev/null'] = process.argv.slice(2);
const SCHEMA = { type: 'object' };

/** What stands for a value this deep, which `JSON.stringify` would not survive. */
const DEEP = '@deep@';
const DEPTH = 50_000;

function send(message: object): void {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  const nested = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
  process.stdout.write(`${text.replace(JSON.stringify(DEEP), nested)}\n`);
}

function listTools(cursor: string | undefined): object {
  const tool = (name: unknown, more: object = {}): object => ({ name, inputSchema: SCHEMA, ...more });
  switch (kind) {
    case 'many':
      return { tools: Array.from({ length: 1_000 }, (_, index) => tool(`tool_${index}`)) };
    case 'endless':
      return { tools: [tool(`page_${cursor ?? ''}`)], nextCursor: `${cursor ?? ''}1` };
    case 'names':
      return {
        tools: [
          tool('\u001b[2Jclear'),
          tool('x'.repeat(100)),
          tool('x'.repeat(101)),
          tool('dup'),
          tool('dup', { description: 'second' }),
          tool('a.b'),
          tool('a/b'),
          tool('constructor'),
          tool(7),
          'no tool',
          tool('\u001b[31mwide', { inputSchema: { type: 'object', description: 'y'.repeat(70_000) } }),
          tool('deep', { inputSchema: { type: 'object', properties: DEEP } }),
          tool('wordy', { description: `\ud800${'z'.repeat(100_000)}` }),
        ],
      };
    default:
      return { tools: [tool('go')] };
  }
}

function call(): object | null {
  appendFileSync(file, 'called\n');
  switch (kind) {
    case 'deep':
      return { content: [], structuredContent: DEEP };
    case 'malformed':
      return { content: 'no list' };
    case 'surrogates':
      return { content: [{ type: 'text', text: 'half \ud800 of one' }] };
    case 'endless-line':
      process.stdout.write('x'.repeat(17 * 1024 * 1024));
      return null;
    case 'out-of-turn':
      send({ id: 4_711, result: { content: [] } });
      send({ id: 'no number', result: {} });
      send({ method: 'notifications/tools/list_changed' });
      send({ id: 1, method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } });
      return { content: [{ type: 'text', text: 'well' }] };
    default:
      return { content: [{ type: 'text', text: 'done' }] };
  }
}

function answer({ id, method, params }: Request): void {
  if (id === undefined) return;
  const serverInfo = { name: kind, version: '1' };
  const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
  const result = method === 'initialize' ? hello : method === 'tools/list' ? listTools(params?.cursor) : call();
  if (result !== null) send({ id, result });
}

if (kind === 'broken') {
  process.stderr.write('\u001b[31mcannot read the settings\n');
  process.exit(7);
}
if (kind === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  const child = spawn('sleep', ['300'], { stdio: 'inherit' });
  writeFileSync(file, JSON.stringify([process.pid, child.pid]));
  setInterval(() => undefined, 1_000);
}
if (kind === 'garbage') {
  process.stdout.write('Welcome to the server!\n\n{"half": \n\u0000\u00ff\n[1, 2]\n{"jsonrpc":"1.0"}\n');
}
if (kind !== 'silent') {
  createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line) as Request));
} else process.stdin.resume();
