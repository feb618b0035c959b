import { isRefusal, refuse } from '@ramet/core/codes';
import type { LoggedEvent } from '@ramet/core/events';
import { escapeJson, renderColumns, renderJson, truncateText } from '@ramet/core/text';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { LogFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { findRun, openStore } from '../store.ts';

/** Prints the events of a run. */
export const log: Action<LogFlags, [string]> = async (context, flags, [text]) => {
  if (flags.raw && (flags.json || flags.type !== undefined)) {
    return refuse('bad_usage', '--raw prints the lines as they are: it goes with neither --json nor --type');
  }
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  const { from, to, type } = flags;
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  if (flags.raw) return printRaw(context, store.read(id), range);
  const events: LoggedEvent[] = [];
  for (const event of store.read(id)?.readEvents(range) ?? []) {
    if (type === undefined || event.type === type) events.push(event);
  }
  const rows = events.map((event) => [String(event.seq), event.time, renderType(event), renderBody(event)]);
  const lines = renderColumns(rows, { width: context.stdout.columns });
  return { json: { id, events }, text: lines.map((line) => `${line}\n`).join('') };
};

/** Line by line, so that a long log needs no memory. A pipe gets the exact bytes, a terminal what is safe to show. */
async function printRaw(
  context: CliContext,
  reader: ReturnType<FileStore['read']>,
  range: { readonly from?: number; readonly to?: number },
): Promise<Answer> {
  for (const bytes of reader?.readBytes(range) ?? []) {
    await context.stdout.drain();
    context.stdout.write(context.stdout.isTerminal ? escapeJson(Buffer.from(bytes).toString('utf8')) : bytes);
  }
  return { json: null };
}

function renderType(event: LoggedEvent): string {
  return renderJson(event.type).slice(1, -1);
}

function renderBody({ seq: _seq, prev: _prev, time: _time, type: _type, ...body }: LoggedEvent): string {
  return truncateText(renderJson(body), 400);
}
