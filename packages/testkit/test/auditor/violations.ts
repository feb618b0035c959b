/** One way or more to break each rule of docs/log-format.md that a disk can break. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { CheckedRule } from '../../src/auditor/index.ts';
import {
  CHILD,
  type Fields,
  FORK,
  PARENT,
  PAYLOAD_DIGEST,
  planStore,
  RUN,
  type RunPlan,
  type StorePlan,
  sha256,
  TAKEN,
  writeIndex,
  writeStore,
} from './hand-written-store.ts';

export interface Violation {
  readonly name: string;
  /** Breaks the plan before it is written. */
  readonly plan?: (plan: StorePlan) => void;
  /** Breaks what was written; paths are below `runs/`. */
  readonly disk?: (path: PathOf) => void;
}

type PathOf = (...names: string[]) => string;

const FIRST = 'log/000000000000.jsonl';
const SECOND = 'log/000000000005.jsonl';
const RUN_SECOND = 'log/000000000001.jsonl';

/** The last event of a type in the parent: after the boundary the child forked at. */
function lastOf(run: RunPlan, type: string): Fields {
  const found = run.events.findLast((event) => event.type === type);
  if (found === undefined) throw new Error(`the plan has no ${type}`);
  return found;
}

function change(type: string, fields: Fields): (plan: StorePlan) => void {
  return ({ parent }) => {
    Object.assign(lastOf(parent, type), fields);
  };
}

function insertAfter(run: RunPlan, event: Fields, added: Fields): void {
  run.events.splice(run.events.indexOf(event) + 1, 0, added);
}

function remove(run: RunPlan, event: Fields): void {
  run.events.splice(run.events.indexOf(event), 1);
}

function editNote(edit: (text: string) => string): (plan: StorePlan) => void {
  return ({ parent }) => {
    const note = lastOf(parent, 'x.note');
    parent.editLine = (text, event) => (event === note ? edit(text) : text);
  };
}

function editFork(fields: Fields): (plan: StorePlan) => void {
  return ({ child }) => {
    child.editLine = (text, event) =>
      event.type === 'session.fork' ? JSON.stringify({ ...(JSON.parse(text) as Fields), ...fields }) : text;
  };
}

/** Changes the last event of a type in the graph run, which lies after the boundary the fork was taken at, or of a node. */
function changeRun(type: string, fields: Fields, node?: string): (plan: StorePlan) => void {
  return ({ run }) => {
    const found = run.events.findLast((event) => event.type === type && (node === undefined || event.node === node));
    if (found === undefined) throw new Error(`the plan has no ${type}`);
    Object.assign(found, fields);
  };
}

function addToRun(...events: Fields[]): (plan: StorePlan) => void {
  return ({ run }) => void run.events.push(...events);
}

function changeOrigin(fields: Fields): (plan: StorePlan) => void {
  return (plan) => {
    plan.forkStart = (start) => Object.assign(start, { forkedFrom: { ...(start.forkedFrom as Fields), ...fields } });
  };
}

function changeTaken(fields: Fields): (plan: StorePlan) => void {
  return (plan) => {
    plan.takenFrom = (origin) => Object.assign(origin, fields);
  };
}

/** Deeper than recursion goes. */
const DEEP = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;

function withField(line: string, json: string): string {
  return `${line.slice(0, -1)},"deep":${json}}`;
}

function nest(levels: number): unknown {
  return levels === 0 ? 1 : [nest(levels - 1)];
}

const CALL = { type: 'tool.intent', callId: 'x', tool: 't', input: {}, effect: 'read', contained: true, key: 'k' };
const RESULT = { type: 'tool.result', callId: 'x', tool: 't', outcome: 'ok', output: {} };

export const VIOLATIONS: { readonly [R in CheckedRule]: readonly [Violation, ...Violation[]] } = {
  L1: [
    {
      name: 'a segment has another name',
      disk: (path) => renameSync(path(PARENT, SECOND), path(PARENT, 'log/000000000006.jsonl')),
    },
    { name: 'the log holds a foreign file', disk: (path) => writeFileSync(path(PARENT, 'log/notes.txt'), '') },
    { name: 'a temporary file is left', disk: (path) => writeFileSync(path(PARENT, 'seal.tmp'), '') },
    { name: 'the log is missing', disk: (path) => rmSync(path(CHILD, 'log'), { recursive: true }) },
    { name: 'a file lies among the runs', disk: (path) => writeFileSync(path('stray'), '') },
  ],
  L2: [{ name: 'a segment before the last is not sealed', disk: (path) => chmodSync(path(PARENT, FIRST), 0o600) }],
  L3: [
    { name: 'the last segment is readable by others', disk: (path) => chmodSync(path(PARENT, SECOND), 0o644) },
    { name: 'a payload is writable', disk: (path) => chmodSync(path(PARENT, 'blobs', PAYLOAD_DIGEST), 0o600) },
    { name: 'the lock is readable by others', disk: (path) => chmodSync(path(PARENT, 'lock'), 0o644) },
    { name: 'a folder is readable by others', disk: (path) => chmodSync(path(PARENT, 'log'), 0o755) },
    { name: 'the runs are readable by others', disk: (path) => chmodSync(path(), 0o755) },
    { name: 'the last segment is linked', disk: (path) => linkSync(path(PARENT, SECOND), path('..', 'elsewhere')) },
    { name: 'the lock is a symbolic link', disk: replaceByLink },
    { name: 'two runs share a file under two names', disk: shareUnderTwoNames },
  ],
  L4: [
    { name: 'a line is not JSON', plan: editNote((text) => text.slice(0, -1)) },
    { name: 'a line is not an object', plan: editNote(() => '[1]') },
    { name: 'a line holds a tab', plan: editNote((text) => `${text}\t`) },
    { name: 'a line is too long', plan: editNote((text) => text.padEnd(1_048_577)) },
  ],
  L5: [
    { name: 'an offset is skipped', plan: editNote((text) => text.replace(/"seq":\d+/, '"seq":900')) },
    { name: 'a time has no milliseconds', plan: editNote((text) => text.replace('.000Z', 'Z')) },
    { name: 'a time does not exist', plan: editNote((text) => text.replace('2030-01-01', '2030-02-31')) },
    { name: 'a type is missing', plan: editNote((text) => text.replace('"type"', '"kind"')) },
    {
      name: 'the type comes last',
      plan: editNote((text) => text.replace(/,"type":"x.note"(.*)}$/, '$1,"type":"x.note"}')),
    },
  ],
  L6: [
    {
      name: 'a line points elsewhere',
      plan: editNote((text) => text.replace(/"prev":"\w+"/, `"prev":"${'a'.repeat(64)}"`)),
    },
    { name: 'a byte was flipped later', disk: flipByte },
  ],
  L8: [
    { name: 'a configuration has a schema that is no integer', plan: change('session.config', { schema: '1' }) },
    {
      name: 'a configuration has no schema',
      plan: ({ parent }) => {
        delete lastOf(parent, 'session.config').schema;
      },
    },
  ],
  L9: [
    {
      name: 'a segment before the last ends within a line',
      disk: (path) => appendFileSync(path(PARENT, FIRST), '{"seq"'),
    },
    { name: 'a sealed last segment ends within a line', disk: tearLast },
  ],
  L10: [
    { name: 'a string holds half a surrogate pair', plan: change('x.note', { text: 'a\ud800b' }) },
    { name: 'a key holds half a surrogate pair', plan: change('x.note', { inner: { 'a\udfff': 1 } }) },
  ],
  L11: [
    { name: 'a long string stays in its line', plan: change('x.note', { text: 'é'.repeat(131_073) }) },
    { name: 'a payload is missing', disk: (path) => rmSync(path(CHILD, 'blobs', PAYLOAD_DIGEST)) },
    { name: 'a payload has other bytes', disk: (path) => replacePayload(path, 'q'.repeat(262_145)) },
    { name: 'a payload is shorter', disk: (path) => replacePayload(path, 'short') },
    {
      name: 'a payload has no digest for a name',
      plan: change('x.note', { raw: { $blob: '../lock', bytes: 0, encoding: 'utf8' } }),
    },
    {
      name: 'a payload has another encoding',
      plan: change('x.note', { raw: { $blob: PAYLOAD_DIGEST, bytes: 262_145, encoding: 'hex' } }),
    },
    { name: 'the payloads hold a foreign file', disk: (path) => writeFileSync(path(PARENT, 'blobs/notes'), '') },
  ],
  L12: [
    { name: 'bytes are not base64', plan: change('x.note', { raw: { $base64: 'A-_=' } }) },
    {
      name: 'many bytes stay in their line',
      plan: change('x.note', { raw: { $base64: Buffer.alloc(262_145).toString('base64') } }),
    },
  ],
  L13: [
    {
      name: 'an object with a reserved key is not wrapped',
      plan: change('x.note', { about: { $base64: 'AAE=', more: 1 } }),
    },
    { name: 'a wrapper holds no object', plan: change('x.note', { about: { $literal: [1] } }) },
    { name: 'a deep object is not wrapped', plan: editNote((text) => withField(text, `{"$blob":${DEEP}}`)) },
  ],
  L14: [
    { name: 'a value nests deeper than 200 levels', plan: change('x.note', { deep: nest(201) }) },
    { name: 'a value nests as deep as its line is long', plan: editNote((text) => withField(text, DEEP)) },
  ],
  L15: [
    {
      name: 'event 0 is no session.start',
      plan: ({ parent }) => void Object.assign(parent.events[0] ?? {}, { type: 'x.start' }),
    },
    {
      name: 'a run lies under another name',
      disk: (path) => renameSync(path(CHILD), path('01890000-0000-7000-8000-00000000000f')),
    },
    {
      name: 'a graph run starts twice',
      plan: ({ run }) => void run.events.push({ ...run.events[0] }),
    },
    {
      name: 'a graph run starts in a session',
      plan: ({ parent, run }) => void parent.events.push({ ...run.events[0] }),
    },
    {
      name: 'a graph run lies under another name',
      disk: (path) => renameSync(path(FORK), path('01890000-0000-7000-8000-00000000000f')),
    },
    { name: 'a session starts twice', plan: ({ parent }) => void parent.events.splice(2, 0, { ...parent.events[0] }) },
  ],
  L16: [
    { name: 'a fork names itself as its parent', plan: editFork({ parent: CHILD }) },
    { name: 'a fork names no run as its parent', plan: editFork({ parent: 'x' }) },
    { name: 'a fork names another offset', plan: editFork({ offset: 3 }) },
    { name: 'a fork names another digest', plan: editFork({ digest: 'b'.repeat(64) }) },
    { name: 'a fork does not follow an end', plan: ({ child }) => void child.events.unshift({ type: 'x.note' }) },
    { name: 'the parent has other lines', disk: replaceParent },
  ],
  L17: [
    {
      name: 'a turn opens in a turn',
      plan: ({ parent }) => insertAfter(parent, lastOf(parent, 'message'), { ...lastOf(parent, 'message') }),
    },
    {
      name: 'a turn ends twice',
      plan: ({ parent }) =>
        void parent.events.push({ type: 'session.end', reason: 'failed', checkpoint: 'none', why: 'w' }),
    },
    {
      name: 'two messages have one key',
      plan: ({ parent }) => {
        for (const message of parent.events.filter(({ type }) => type === 'message')) message.key = 'once';
      },
    },
    {
      name: 'a request stands between turns',
      plan: ({ parent }) => void parent.events.push({ ...lastOf(parent, 'model.request') }),
    },
    {
      name: 'a result stands between turns',
      plan: ({ parent }) => void parent.events.push({ ...lastOf(parent, 'tool.result') }),
    },
  ],
  L18: [
    { name: 'an end names another checkpoint', plan: change('session.end', { checkpoint: 'cp-0' }) },
    { name: 'an end without checkpoint says no reason', plan: change('session.end', { checkpoint: 'none' }) },
    {
      name: 'something stands between a checkpoint and its end',
      plan: ({ parent }) => insertAfter(parent, lastOf(parent, 'workspace.checkpoint'), { type: 'x.note' }),
    },
  ],
  L19: [
    { name: 'a call has no intent', plan: ({ parent }) => remove(parent, lastOf(parent, 'tool.intent')) },
    {
      name: 'a call has no result when its turn ends',
      plan: ({ parent }) => remove(parent, lastOf(parent, 'tool.result')),
    },
    {
      name: 'a request comes before a result',
      plan: ({ parent }) => {
        const result = lastOf(parent, 'tool.result');
        remove(parent, result);
        insertAfter(parent, lastOf(parent, 'model.response'), result);
      },
    },
    {
      name: 'a call has two results',
      plan: ({ parent }) => insertAfter(parent, lastOf(parent, 'tool.result'), { ...lastOf(parent, 'tool.result') }),
    },
    {
      name: 'an intent is of no call',
      plan: ({ parent }) => insertAfter(parent, lastOf(parent, 'tool.result'), { ...lastOf(parent, 'tool.intent') }),
    },
  ],
  L20: [
    { name: 'a call of a node changes its key', plan: changeKey },
    {
      name: 'a second attempt has another key',
      plan: ({ parent }) =>
        insertAfter(parent, lastOf(parent, 'tool.intent'), {
          ...lastOf(parent, 'tool.intent'),
          attempt: 2,
          key: 'other',
        }),
    },
  ],
  L23: [{ name: 'a second event lies with event 0', disk: crowdStart }],
  L24: [
    { name: 'event 1 points elsewhere', plan: changeOrigin({ sourceEvent0Digest: 'a'.repeat(64) }) },
    { name: 'a fork names another digest', plan: changeOrigin({ digest: 'b'.repeat(64) }) },
    { name: 'a fork names itself as its source', plan: changeOrigin({ id: FORK }) },
    { name: 'a fork says half of where it comes from', plan: addBadOrigin },
    { name: 'the source is another run', disk: replaceSource },
  ],
  L25: [
    {
      name: 'the first own event names another event 0',
      plan: ({ fork }) => setEvent0(fork.events[0], 'a'.repeat(64)),
    },
    { name: 'a later event names one', plan: ({ fork }) => setEvent0(fork.events[1], 'a'.repeat(64)) },
    { name: 'a run that is no fork names one', plan: ({ run }) => setEvent0(run.events.at(-1), 'a'.repeat(64)) },
    { name: 'a session names one', plan: ({ parent }) => setEvent0(parent.events.at(-1), 'a'.repeat(64)) },
    { name: 'event 0 changes after the fork', disk: changeStart },
  ],
  L26: [
    { name: 'a fork names another node', plan: changeOrigin({ fromNode: 'c' }) },
    { name: 'a fork names another visit', plan: changeOrigin({ visit: 2 }) },
    { name: 'a fork names another document', plan: changeOrigin({ graphHash: 'c'.repeat(64) }) },
    { name: 'acknowledged writes do not rise', plan: changeOrigin({ acknowledgedWrites: [5, 3] }) },
  ],
  L27: [
    { name: 'an event of a node names none', plan: changeRun('gate.answer', { node: undefined }) },
    ...['', 'b/', '/b', 'a/b', 'm[0]', 'f#0/b', 'm[01]/b', 'm[-1]/b', '1b', 'x'.repeat(65), 'f#1[2]/b'].map((node) => ({
      name: `a node has the path ${JSON.stringify(node)}`,
      plan: addToRun({ type: 'node.skip', node, reason: 'r' }),
    })),
  ],
  L28: [
    { name: 'an attempt does not rise', plan: changeRun('node.enter', { attempt: 0 }, 'g') },
    { name: 'another attempt ends', plan: changeRun('node.exit', { attempt: 2 }, 'g') },
    { name: 'a node ends twice', plan: addToRun({ type: 'node.exit', node: 'g', attempt: 1, outcome: 'failed' }) },
    {
      name: 'a node ends that was not entered',
      plan: addToRun({ type: 'node.exit', node: 'h', attempt: 1, outcome: 'ok' }),
    },
    {
      name: 'a finished node is entered again',
      plan: addToRun({ type: 'node.enter', node: 'g', attempt: 2, input: {}, inputDigest: sha256('{}') }),
    },
  ],
  L29: [
    { name: 'a call comes after its node', plan: addToRun({ ...CALL, node: 'g' }) },
    { name: 'a result answers nothing', plan: addToRun({ ...RESULT, node: 'g' }) },
    { name: 'an answer names another gate', plan: changeRun('gate.answer', { gate: 1 }) },
  ],
  L30: [
    { name: 'an end names a checkpoint of another node', plan: changeRun('session.end', { checkpoint: 'cp-a' }) },
    { name: 'an end without checkpoint says no reason', plan: changeRun('session.end', { checkpoint: 'none' }) },
  ],
  L31: [
    { name: 'a session says half of the node it was made of', plan: changeTaken({ fromNode: undefined }) },
    { name: 'a session names itself as its run', plan: changeTaken({ id: TAKEN }) },
    { name: 'what was taken ends after the log', plan: changeTaken({ through: 100 }) },
    { name: 'what was taken ends within a turn', plan: changeTaken({ through: 7 }) },
  ],
  L32: [
    { name: 'a session names another digest of its run', plan: changeTaken({ digest: 'b'.repeat(64) }) },
    { name: 'a session names another attempt', plan: changeTaken({ attempt: 2 }) },
    { name: 'a session names another visit', plan: changeTaken({ visit: 2 }) },
    { name: 'a session names another entry of the node', plan: changeTaken({ from: 1 }) },
  ],
  L33: [
    {
      name: 'another message was taken',
      plan: ({ taken }) => void Object.assign(taken.events[2] ?? {}, { message: { role: 'user', content: 'come' } }),
    },
    {
      name: 'the workspace is not said first',
      plan: ({ taken }) => void Object.assign(taken.events[1] ?? {}, { type: 'x.note' }),
    },
    {
      name: 'an event was left out',
      plan: (plan) => {
        plan.taken.events.splice(3, 1);
        changeTaken({ through: 5 })(plan);
      },
    },
  ],
  L21: [
    {
      name: 'a believed index says another digest',
      disk: (path) =>
        writeIndex(
          path(PARENT, FIRST),
          { first: 0, count: 5, bytes: 1, digest: '0'.repeat(64), prev: '0'.repeat(64) },
          { boundaries: [] },
        ),
    },
  ],
};

function changeKey({ run }: StorePlan): void {
  const enter = { type: 'node.enter', node: 'h', attempt: 1, input: {}, inputDigest: sha256('{}') };
  run.events.push(enter, { ...CALL, node: 'h' }, { ...CALL, node: 'h', key: 'other' });
}

function setEvent0(event: Fields | undefined, event0: string): void {
  Object.assign(event ?? {}, { event0 });
}

function addBadOrigin({ run }: StorePlan): void {
  Object.assign(run.events[0] ?? {}, { forkedFrom: { id: PARENT } });
}

function changeStart(path: PathOf): void {
  const text = readFileSync(path(FORK, FIRST), 'utf8').replace('"cwd":"/p"', '"cwd":"/q"');
  rmSync(path(FORK, FIRST));
  writeFileSync(path(FORK, FIRST), text, { mode: 0o400 });
}

/** The first line of the second segment moves to the first one. */
function crowdStart(path: PathOf): void {
  const [first, second] = [path(RUN, FIRST), path(RUN, RUN_SECOND)];
  const [line = '', ...rest] = readFileSync(second, 'utf8').split('\n');
  chmodSync(first, 0o600);
  appendFileSync(first, `${line}\n`);
  chmodSync(first, 0o400);
  rmSync(second);
  writeFileSync(path(RUN, 'log/000000000002.jsonl'), rest.join('\n'), { mode: 0o400 });
}

/** A source that is good in itself, but not the one the run was forked from. */
function replaceSource(path: PathOf): void {
  const plan = planStore();
  Object.assign(plan.run.events[0] ?? {}, { title: 'another' });
  const other = path('..', 'other');
  mkdirSync(other);
  writeStore(other, plan);
  for (const id of [RUN, TAKEN]) rmSync(path(id), { recursive: true });
  renameSync(`${other}/runs/${RUN}`, path(RUN));
}

function replaceByLink(path: PathOf): void {
  renameSync(path(PARENT, 'lock'), path('..', 'elsewhere'));
  symlinkSync(path('..', 'elsewhere'), path(PARENT, 'lock'));
}

function shareUnderTwoNames(path: PathOf): void {
  linkSync(path(PARENT, FIRST), path(CHILD, 'blobs', sha256(readFileSync(path(PARENT, FIRST)))));
}

function flipByte(path: PathOf): void {
  const text = readFileSync(path(PARENT, SECOND), 'latin1');
  const at = text.lastIndexOf('mine');
  writeFileSync(path(PARENT, SECOND), `${text.slice(0, at)}n${text.slice(at + 1)}`, 'latin1');
}

function tearLast(path: PathOf): void {
  appendFileSync(path(PARENT, SECOND), '{"seq"');
  chmodSync(path(PARENT, SECOND), 0o400);
}

/** Another content behind the same digest; the child keeps the good file. */
function replacePayload(path: PathOf, content: string): void {
  rmSync(path(PARENT, 'blobs', PAYLOAD_DIGEST));
  writeFileSync(path(PARENT, 'blobs', PAYLOAD_DIGEST), content, { mode: 0o400 });
}

/** A parent that is good in itself, but not the one the child was forked from. */
function replaceParent(path: PathOf): void {
  const plan = planStore();
  Object.assign(plan.parent.events[2] ?? {}, { message: { role: 'user', content: 'uno' } });
  const other = path('..', 'other');
  mkdirSync(other);
  writeStore(other, plan);
  rmSync(path(PARENT), { recursive: true });
  renameSync(`${other}/runs/${PARENT}`, path(PARENT));
}
