/**
 * The main job, offline: a turn that works, one that ruins it, a fork at the first, and the other way from there. Then
 * writes that left already: stopped in a child session, refused to a fork of a graph run until they are acknowledged.
 *
 * 1. The packed command runs as separate processes; the model is scripted; nothing leaves this machine.
 * 2. What is printed was read back from the store or measured, and compared: the first thing that does not hold ends
 *    the demonstration with exit status 1.
 * 3. With `--serve` all of it stays, in the browser interface, until Ctrl-C; then nothing is left.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { probeSandbox } from '@ramet/runtime/sandbox';
import { auditStore, takeFingerprint } from '@ramet/testkit';
import { type Answer, type Command, packCommand } from './demo/command.ts';
import { check, readStatus, say } from './demo/facts.ts';
import { makeProject, type TURNS } from './demo/project.ts';
import { serveDemonstration } from './demo/serve.ts';
import { digestOf, lastTestExit, ownBytes, readEvents, readLines } from './demo/store.ts';
import { showGraphForks, showStoppedWrite, type WriteStage } from './demo/writes.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

interface Stage extends WriteStage {
  readonly scripts: Readonly<Record<keyof typeof TURNS, string>>;
  /** `--no-sandbox --allow shell` where no sandbox can be had. */
  readonly flags: readonly string[];
}

await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-demo-'));
  try {
    const { values } = parseArgs({ options: { serve: { type: 'boolean' } } });
    const stage = await setStage(folder);
    await demonstrate(stage);
    if (values.serve) await serveDemonstration(stage);
  } catch (error) {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function setStage(folder: string): Promise<Stage> {
  const home = join(folder, 'state');
  const person = join(folder, 'person');
  mkdirSync(person);
  const { PATH } = process.env;
  const sink = join(folder, 'sink');
  const project = join(folder, 'prices');
  const env = { PATH, HOME: person, RAMET_HOME: home, DEMO_PROJECT: project, SINK: sink, LANG: 'C.UTF-8' };
  const probe = await probeSandbox();
  if (probe.kind !== 'present') say('no sandbox', `${probe.reason}; the agent runs with --no-sandbox in ${folder}`);
  const flags = probe.kind === 'present' ? [] : ['--no-sandbox', '--allow', 'shell'];
  const ramet = packCommand(root, folder, env);
  return { root, folder, home, sink, ramet, scripts: makeProject(folder, env), flags };
}

async function demonstrate(stage: Stage): Promise<void> {
  const { home, ramet } = stage;
  const first = takeTurn(stage, 'fix', ['make the test pass']);
  const session = text(first, 'session');
  const workspace = join(home, 'runs', session, 'workspace');
  const then = await takeFingerprint(workspace);
  const boundary = offsetOf(first);
  sayTurn(stage, session, 'turn 1');
  const { staged, untracked } = readStatus(then.git.status ?? '');
  check(staged.length === 1 && untracked.length === 1, 'the first turn leaves a staged and an untracked file');
  say('', `staged: ${staged.join()}, untracked: ${untracked.join()}`);
  check(lastTestExit(readEvents(home, session)) === 0, 'the first turn ends green');

  takeTurn(stage, 'ruin', ['--session', session, 'now clean up']);
  sayTurn(stage, session, 'turn 2');
  check(lastTestExit(readEvents(home, session)) !== 0, 'the second turn ends red');
  check(!isDeepStrictEqual(await takeFingerprint(workspace), then), 'the second turn changed the files');

  const child = forkAt(stage, session, boundary);
  await goOn(stage, { session, child, then });
  showStoppedWrite(stage);
  showGraphForks(stage);
  ramet.run(['remove', session, '--yes']);
  const verified = ramet.run(['verify', child]);
  const problems = auditStore(home);
  check(problems.length === 0, `an independent audit finds nothing: ${JSON.stringify(problems[0])}`);
  say('parent removed', `child verifies (exit ${verified.code}), audit: ${problems.length} problems`);
  sayTree(ramet, [child, text(ramet.run(['fork', child]).json, 'session')]);
}

function forkAt(stage: Stage, session: string, boundary: number): string {
  const { home, ramet } = stage;
  const preview = ramet.run(['fork', session, '--at', String(boundary), '--dry-run']).json;
  check(preview.session === null, 'a preview makes nothing');
  const place = preview.workspace as { kind?: unknown; restorable?: unknown; leftOut?: readonly unknown[] };
  say(
    'preview',
    `${place.kind} workspace, restorable: ${place.restorable}, left out: ${place.leftOut?.length ?? 0}, outstanding writes: ${(preview.outstanding as readonly unknown[]).length}`,
  );
  const answer = ramet.run(['fork', session, '--at', String(boundary)]);
  const child = text(answer.json, 'session');
  check(isDeepStrictEqual(answer.json.forkedFrom, preview.forkedFrom), 'the preview showed this very fork');
  const bytes = answer.json.bytes as { own: number; shared: number };
  check(bytes.own === ownBytes(home, child), 'the fork takes the bytes it says');
  const usage = usageOf(ramet, child);
  check(usage === 0, 'a fork costs no token');
  say(
    'fork',
    `offset ${boundary}, ${Math.round(answer.milliseconds)} ms as a process, ${bytes.own} new bytes, ${usage} tokens`,
  );
  const [parentLines, childLines] = [readLines(home, session), readLines(home, child)];
  const same = childLines
    .slice(0, boundary + 1)
    .every((line, index) => line.equals(parentLines[index] ?? Buffer.alloc(0)));
  check(same && childLines.length === boundary + 2, 'the child holds the parent’s lines and one more');
  const digest = (answer.json.forkedFrom as { digest: string }).digest;
  check(
    digestOf(parentLines[boundary] ?? Buffer.alloc(0)) === digest,
    'the recorded digest is that of the parent’s line',
  );
  say('same history', `${boundary + 1} lines byte for byte, digest ${digest.slice(0, 12)}`);
  return child;
}

async function goOn(
  stage: Stage,
  runs: { readonly session: string; readonly child: string; readonly then: unknown },
): Promise<void> {
  const { home, ramet } = stage;
  const { session, child, then } = runs;
  takeTurn(stage, 'look', ['--session', child, 'are we green?']);
  const now = await takeFingerprint(join(home, 'runs', child, 'workspace'));
  const equal = isDeepStrictEqual(now, then);
  check(equal, 'the child’s files, index and commits are those of turn 1');
  const exit = lastTestExit(readEvents(home, child));
  check(exit === 0, 'the child’s tests are green');
  say('restored', `fingerprint equal: ${equal} (${Object.keys(now.paths).length} paths), tests exit ${exit}`);
  takeTurn(stage, 'otherWay', ['--session', child, 'try the other way']);
  sayTurn(stage, child, 'other way');
  const diff = ramet.run(['diff', session, child]).json;
  check((diff.files as readonly unknown[]).length > 0, 'the two ways differ');
  say('diff', `${(diff.files as readonly unknown[]).length} files differ between the two`);
}

function takeTurn(stage: Stage, script: keyof typeof TURNS, args: readonly string[]): Record<string, unknown> {
  const model = `scripted:${stage.scripts[script]}`;
  const { json } = stage.ramet.run(['run', '--model', model, ...stage.flags, ...args]);
  check((json.end as { reason?: unknown }).reason === 'completed', `the turn "${args.at(-1)}" completes`);
  return json;
}

/** Says what a run's latest checkpoint holds, from the log. */
function sayTurn(stage: Stage, run: string, name: string): void {
  const events = readEvents(stage.home, run);
  const checkpoint = events.findLast((event) => event.type === 'workspace.checkpoint');
  check(checkpoint !== undefined, `${name} has a checkpoint`);
  const changed = checkpoint?.changed as { added: number; modified: number; deleted: number };
  const commit = String(checkpoint?.commit).slice(0, 7);
  say(
    name,
    `tests exit ${lastTestExit(events)}, commit ${commit}, +${changed.added} ~${changed.modified} -${changed.deleted} files, checkpoint ${String(checkpoint?.id).slice(0, 7)}`,
  );
}

/** The list as a person sees it, checked against what a program is told. */
function sayTree(ramet: Command, runs: readonly string[]): void {
  const { sessions } = ramet.run(['sessions']).json as { sessions: readonly { id: string }[] };
  check(
    isDeepStrictEqual(new Set(sessions.map(({ id }) => id)), new Set(runs)),
    'the child and its own child are listed',
  );
  const lines = ramet.print(['sessions', '--tree']).trimEnd().split('\n');
  check(
    runs.every((run) => lines.some((line) => line.includes(run.slice(-6)))),
    'the tree shows them',
  );
  for (const line of lines) say('', line.trimEnd());
}

function usageOf(ramet: Command, run: string): number {
  const { sessions } = ramet.run(['usage']).json as {
    sessions: readonly { id: string; own: { inputTokens: number; outputTokens: number } }[];
  };
  const own = sessions.find((session) => session.id === run)?.own;
  check(own !== undefined, 'the child’s usage is listed');
  return (own?.inputTokens ?? 0) + (own?.outputTokens ?? 0);
}

function offsetOf(answer: Record<string, unknown>): number {
  return Number((answer.end as { offset?: unknown }).offset);
}

function text(answer: Record<string, unknown> | Answer, field: string): string {
  const value = (answer as Record<string, unknown>)[field];
  if (typeof value !== 'string') throw new Error(`the answer has no ${field}`);
  return value;
}
