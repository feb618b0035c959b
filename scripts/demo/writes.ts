/**
 * Writes that left already, offline: one that a child session proposes again, one that a fork of a graph run would make
 * again. What is said was read back from the store, or from the file that is written to, and compared.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './command.ts';
import { check, say } from './facts.ts';
import { readEvents, type StoredEvent } from './store.ts';

export interface WriteStage {
  readonly root: string;
  /** For scripts of models. */
  readonly folder: string;
  readonly home: string;
  /** The file that stands for what is outside; `SINK` of the command's environment. */
  readonly sink: string;
  readonly ramet: Command;
}

/** A session writes outside; its child, forked before that, proposes the very same and is stopped. */
export function showStoppedWrite(stage: WriteStage): void {
  const { ramet, home } = stage;
  const order = { name: 'shell', input: { command: `echo 'ship order 7' >> '${stage.sink}'` } };
  const look = { name: 'shell', input: { command: 'true' } };
  // With the person's own rights a command is not contained: it is a write that left.
  const rights = ['--no-sandbox', '--allow', 'shell'];
  const start = [...rights, '--workspace', 'none'];
  const first = runScript(stage, 'look', { call: look, args: start });
  const parent = String(first.session);
  const boundary = Number((first.end as { offset?: unknown }).offset);
  const again = [...rights, '--session'];
  runScript(stage, 'order', { call: order, args: [...again, parent] });
  check(countLines(stage) === 1, 'the parent’s order left once');
  const child = String(ramet.run(['fork', parent, '--at', String(boundary)]).json.session);
  const fork = readEvents(home, child).findLast(({ type }) => type === 'session.fork');
  const [known] = (fork?.outstanding ?? []) as readonly { readonly offset: number; readonly tool: string }[];
  const answer = runScript(stage, 'order-again', { call: order, args: [...again, child] });
  const [denied] = answer.denied as readonly { readonly tool: string }[];
  const [result] = readEvents(home, child)
    .filter(({ type }) => type === 'tool.result')
    .slice(-1);
  check(result?.outcome === 'denied' && denied !== undefined, 'the child’s order is stopped');
  check(countLines(stage) === 1, 'nothing left again');
  say(
    'write stopped',
    `${denied?.tool} in the child: ${result?.outcome}, the parent made it at ${known?.offset}; sink: ${countLines(stage)}`,
  );
  ramet.run(['remove', parent, child, '--yes']);
}

/** A turn of one call. */
function runScript(
  { folder, ramet }: WriteStage,
  name: string,
  turn: { readonly call: unknown; readonly args: readonly string[] },
): Record<string, unknown> {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify([{ toolCalls: [turn.call] }, { text: 'Done.' }]));
  const { json } = ramet.run(['run', '--model', `scripted:${path}`, ...turn.args, name]);
  check((json.end as { reason?: unknown }).reason === 'completed', `the turn "${name}" completes`);
  return json;
}

/** A graph run publishes; its fork is refused with that write named, and made once it is acknowledged. */
export function showGraphForks(stage: WriteStage): void {
  const { root, home, ramet } = stage;
  const before = countLines(stage);
  const document = join(root, 'examples', 'graphs', 'publish.json');
  const run = String(ramet.run(['graph', 'run', document, '--input', '{"topic":"otters"}']).json.run);
  const published = lastWrite(readEvents(home, run));
  const entered = readEvents(home, run)
    .filter(({ type }) => type === 'node.enter')
    .map(({ node }) => String(node));
  check(countLines(stage) === before + 1, 'the run published once');
  say('graph run', `${entered.join(', ')}: wrote at ${published?.seq}; sink: ${countLines(stage)}`);

  const fork = ['fork', run, '--from-node', 'publish'];
  const refused = ramet.run(fork, 3).json;
  const writes = refused.writes as readonly { readonly offset: number; readonly node: string; readonly tool: string }[];
  check(writes.length === 1 && writes[0]?.offset === published?.seq, 'the refusal names that write');
  check(countLines(stage) === before + 1, 'a refused fork writes nothing');
  const named = writes.map(({ tool, node, offset }) => `${tool} of ${node} at ${offset}`);
  say('fork refused', `${refused.code}: ${named.join()}; sink: ${countLines(stage)}`);

  const made = ramet.run([...fork, '--acknowledge-writes', String(writes[0]?.offset)]).json;
  const again = lastWrite(readEvents(home, String(made.run)));
  check(again?.acknowledged === published?.seq, 'the child says which write it makes again');
  check(countLines(stage) === before + 2, 'the acknowledged write left once more');
  say(
    'acknowledged',
    `${made.status}, write ${String(again?.acknowledged)} made again on purpose; sink: ${countLines(stage)}`,
  );
}

function lastWrite(events: readonly StoredEvent[]): StoredEvent | undefined {
  return events.findLast(({ type, effect }) => type === 'tool.intent' && effect === 'write');
}

function countLines({ sink }: WriteStage): number {
  return existsSync(sink) ? readFileSync(sink, 'utf8').split('\n').length - 1 : 0;
}
