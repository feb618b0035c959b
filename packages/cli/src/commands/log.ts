import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { EVENT_TYPES, isEventType, type LoggedEvent, type RunId } from '@ramet/core/events';
import { escapeJson, escapeLine, renderColumns, renderJson } from '@ramet/core/text';
import { decoderOf } from '@ramet/core/transcript';
import { describeLog } from '@ramet/runtime/answers';
import { findRun, findWholeRange, type WholeRange } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { LogFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { summarizeEvent } from '../output/event.ts';
import { openStore } from '../store.ts';

type Reader = NonNullable<ReturnType<FileStore['read']>>;

/** Prints the events of a run; of a damaged log those before the damage, and then the damage. */
export const log: Action<LogFlags, [string]> = async (context, flags, [text]) => {
  const misuse = findMisuse(flags);
  if (misuse !== null) return refuse('bad_usage', misuse);
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  const reader = store.read(id);
  if (reader === null) return refuse('unknown_run', `session ${id} was removed meanwhile`, { id });
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = flags;
  const { range, damage } = findWholeRange(reader, { from, to });
  if (flags.raw) return printRaw(context, reader, { range, damage });
  const events = range.to < range.from ? [] : [...reader.readEvents(range)].filter((event) => isWanted(event, flags));
  if (events.length === 0 && flags.type !== undefined && !isEventType(flags.type)) return refuseType(flags.type);
  return answer(context, reader, { id, events, damage, isJson: flags.json === true });
};

function isWanted({ type }: LoggedEvent, flags: LogFlags): boolean {
  return flags.type === undefined || type === flags.type;
}

function findMisuse({ raw, json, type, from, to }: LogFlags): string | null {
  if (raw && (json || type !== undefined))
    return '--raw prints the lines as they are: it goes with neither --json nor --type';
  if (from !== undefined && to !== undefined && from > to) return `--from ${from} is behind --to ${to}`;
  return null;
}

/** Of a type this version does not know either, a log may hold events of a later one: so only when it holds none. */
function refuseType(type: string): Refusal {
  const known = `the types this version writes are ${EVENT_TYPES.join(', ')}`;
  return refuse('bad_usage', `no event is of type '${escapeLine(type)}'; ${known}`);
}

function answer(
  context: CliContext,
  reader: Reader,
  found: {
    readonly id: RunId;
    readonly events: readonly LoggedEvent[];
    readonly damage: Refusal | null;
    readonly isJson: boolean;
  },
): Answer | Refusal {
  const { id, events, damage, isJson } = found;
  if (isJson) {
    const described = describeLog(id, events, damage);
    return isRefusal(described) ? described : { json: described };
  }
  const text = renderEvents(context, reader, events);
  if (damage === null) return { json: null, text, notes: events.length === 0 ? 'no such event\n' : '' };
  context.stdout.write(text);
  return damage;
}

/** The whole time goes to a pipe; on a terminal it leaves the width to what happened. */
function renderEvents(context: CliContext, reader: Reader, events: readonly LoggedEvent[]): string {
  const decode = decoderOf(reader);
  const isOneDay = new Set(events.map(({ time }) => time.slice(0, 10))).size < 2;
  const renderTime = (time: string): string => {
    if (!context.stdout.isTerminal) return time;
    return isOneDay ? time.slice(11, 19) : time.slice(5, 16).replace('T', ' ');
  };
  const rows = events.map((event) => [
    String(event.seq),
    escapeLine(renderTime(event.time)),
    renderJson(event.type).slice(1, -1),
    summarizeEvent(event, decode),
  ]);
  return renderColumns(rows, { width: context.stdout.columns })
    .map((line) => `${line}\n`)
    .join('');
}

/** Line by line, so that a long log needs no memory. A pipe gets the exact bytes, a terminal what is safe to show. */
async function printRaw(context: CliContext, reader: Reader, wanted: WholeRange): Promise<Answer | Refusal> {
  const { range, damage } = wanted;
  for (const bytes of range.to < range.from ? [] : reader.readBytes(range)) {
    await context.stdout.drain();
    context.stdout.write(context.stdout.isTerminal ? escapeJson(Buffer.from(bytes).toString('utf8')) : bytes);
  }
  return damage ?? { json: null };
}
