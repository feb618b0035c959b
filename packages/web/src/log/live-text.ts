/** What streams between two events: words as they come, a command's output, a line of progress. */

export interface LiveText {
  readonly kind: 'text' | 'reasoning' | 'output' | 'notice';
  readonly text: string;
}

/** More of a stream is not kept: its end is what is looked at. */
const KEPT_CHARACTERS = 100_000;

const KINDS: ReadonlySet<unknown> = new Set<LiveText['kind']>(['text', 'reasoning', 'output', 'notice']);

/** The kinds that an event of this type holds from now on; anything else it says nothing about. */
const HELD_BY: Readonly<Record<string, readonly LiveText['kind'][]>> = {
  'model.request': ['notice'],
  'model.response': ['text', 'reasoning', 'notice'],
  'tool.intent': ['output', 'notice'],
  'tool.result': ['output', 'notice'],
  'session.end': ['text', 'reasoning', 'output', 'notice'],
  'node.exit': ['text', 'reasoning', 'output', 'notice'],
};

/** Adds what came; what is of the same kind as the last goes on with it. */
export function addLive(live: readonly LiveText[], data: string): readonly LiveText[] {
  const added = readLive(data);
  if (added === null) return live;
  const last = live.at(-1);
  if (last?.kind !== added.kind || added.kind === 'notice') return [...live, added];
  return [...live.slice(0, -1), { kind: last.kind, text: (last.text + added.text).slice(-KEPT_CHARACTERS) }];
}

/** What is left once an event of this type is there. */
export function dropLive(live: readonly LiveText[], type: string): readonly LiveText[] {
  const held = HELD_BY[type];
  if (held === undefined || live.length === 0) return live;
  return live.filter(({ kind }) => !held.includes(kind));
}

function readLive(data: string): LiveText | null {
  try {
    const { kind, text } = JSON.parse(data) as Partial<LiveText>;
    return KINDS.has(kind) && typeof text === 'string' ? ({ kind, text } as LiveText) : null;
  } catch {
    return null;
  }
}
