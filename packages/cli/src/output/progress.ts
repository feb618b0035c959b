/**
 * What a person sees while a turn runs: on stderr, what is done; on a terminal's stdout, the agent's words as they come.
 * With `--events`, every event as a line of JSON on stdout.
 */
import { type KnownEvent, knownEvent, type LoggedEvent, type RunId } from '@ramet/core/events';
import { deriveSessionOverview } from '@ramet/core/log';
import { toolCallsOf } from '@ramet/core/session';
import { escapeLine, escapeText, renderJson, truncateText } from '@ramet/core/text';
import { shortenIds } from '@ramet/runtime/inspect';
import type { TurnObserver } from '@ramet/runtime/session';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { renderFailure } from './failure.ts';
import { describeOpening } from './opening.ts';
import { renderInput } from './session.ts';
import { paint } from './style.ts';

export interface Progress {
  readonly observer: TurnObserver;
  /** Whether the agent's words were shown already. */
  readonly isTextShown: boolean;
  /** Ends a line that was begun. */
  end(): void;
}

export interface ProgressOptions {
  readonly isNew: boolean;
  readonly isEvents: boolean;
  readonly isJson: boolean;
}

/** Watches a turn for a person, or for a program that wants its events. */
export function observeTurn(context: CliContext, store: FileStore, options: ProgressOptions): Progress {
  if (options.isEvents)
    return { observer: streamEvents(context, store, options.isNew), isTextShown: false, end: () => {} };
  if (options.isJson) return { observer: {}, isTextShown: false, end: () => {} };
  return watchForPerson(context, store, options.isNew);
}

function streamEvents(context: CliContext, store: FileStore, isNew: boolean): TurnObserver {
  const print = (event: LoggedEvent): void => context.stdout.write(`${renderJson(event)}\n`);
  return {
    event: print,
    session: (id) => {
      if (!isNew) return;
      for (const event of store.read(id)?.readEvents() ?? []) print(event);
    },
  };
}

function watchForPerson(context: CliContext, store: FileStore, isNew: boolean): Progress {
  const { stdout, stderr } = context;
  const live = stdout.isTerminal ? makeLiveText((text) => stdout.write(text)) : null;
  // Held back until something happens: a turn that is refused leaves the refusal alone on stderr.
  let start: readonly string[] = [];
  const say = (...lines: readonly string[]): void => {
    live?.breakLine();
    const all = [...start.map((line) => paint(stderr, 'dim', line)), ...lines];
    start = [];
    stderr.write(all.map((line) => `${line}\n`).join(''));
  };
  const show = (line: string): void => say(paint(stderr, 'dim', truncateText(line, stderr.columns ?? 160)));
  const inputs = new Map<string, unknown>();
  const observer: TurnObserver = {
    session: (id) => {
      start = describeStart(store, id, isNew);
    },
    event: (event) => {
      const known = knownEvent(event);
      if (known === null) return;
      if (known.type === 'message' || known.type === 'model.request') say();
      // On a terminal the words were shown as they came.
      if (live === null) for (const line of describeWords(known)) show(line);
      for (const { callId, input } of callsOf(known)) inputs.set(callId, input);
      const line = describeEvent(known, inputs);
      if (line !== null) show(line);
    },
    notice: (text) => say(paint(stderr, 'yellow', escapeLine(text))),
    ...(live === null ? {} : { delta: ({ kind, text }) => (kind === 'text' ? live.add(text) : undefined) }),
  };
  return { observer, isTextShown: live !== null, end: () => live?.breakLine() };
}

interface LiveText {
  add(text: string): void;
  breakLine(): void;
}

/** Writes text as it comes; half a surrogate pair waits for its other half. */
function makeLiveText(write: (text: string) => void): LiveText {
  let held = '';
  let isLineOpen = false;
  return {
    add: (text) => {
      const whole = held + text;
      const cut = /[\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length;
      held = whole.slice(cut);
      const shown = escapeText(whole.slice(0, cut));
      if (shown === '') return;
      write(shown);
      isLineOpen = !shown.endsWith('\n');
    },
    breakLine: () => {
      held = '';
      if (isLineOpen) write('\n');
      isLineOpen = false;
    },
  };
}

function describeStart(store: FileStore, id: RunId, isNew: boolean): readonly string[] {
  const reader = store.read(id);
  const cwd = reader === null ? '' : (deriveSessionOverview(reader.readOutline().heads)?.cwd ?? '');
  const lines = [`session ${shortenIds(store)(id)}${cwd === '' ? '' : `, in ${escapeLine(cwd)}/`}`];
  if (!isNew) return lines;
  for (const event of reader?.readEvents({ from: 1, to: 1 }) ?? []) {
    const known = knownEvent(event);
    if (known?.type === 'workspace.open') lines.push(...describeOpening(known, 'agent'));
  }
  return lines;
}

/** What the agent says before its calls; its last words are the answer, on stdout. */
function describeWords(event: KnownEvent): readonly string[] {
  if (event.type !== 'model.response' || event.purpose !== 'turn' || event.message === undefined) return [];
  if (toolCallsOf(event.message).length === 0 || !Array.isArray(event.message.content)) return [];
  return event.message.content.flatMap((part) =>
    part.type === 'text' && typeof part.text === 'string' && part.text.trim() !== ''
      ? [`agent  ${escapeLine(part.text.trim().replaceAll(/\s+/g, ' '))}`]
      : [],
  );
}

/** One line for what a person wants to see of an event; null for the rest. */
function describeEvent(event: KnownEvent, inputs: ReadonlyMap<string, unknown>): string | null {
  switch (event.type) {
    case 'workspace.restore': {
      const reason = event.reason === undefined ? '' : `: ${event.reason}`;
      return escapeLine(`files ${event.outcome}${reason}`);
    }
    case 'tool.intent':
      return escapeLine(`${event.tool}  ${renderInput(event.input)}`);
    case 'tool.result':
      return event.outcome === 'ok' ? describeExit(event.output) : describeProblem(event, inputs);
    case 'context.compact':
      return 'the conversation was summarised, because it no longer fits';
    default:
      return null;
  }
}

/** A call that was not made, or failed; of one that was denied, by what. */
function describeProblem(
  { callId, tool, outcome, output }: Extract<KnownEvent, { type: 'tool.result' }>,
  inputs: ReadonlyMap<string, unknown>,
): string {
  const said = 'value' in output && typeof output.value === 'string' ? output.value : '';
  if (outcome !== 'denied' || said === '') return `  ${renderFailure(tool, outcome, output)}`;
  // A turn that is continued has calls nobody saw here.
  const input = inputs.has(callId) ? `${truncateText(renderInput(inputs.get(callId)), 80)}  ` : '';
  return escapeLine(`${tool}  ${input}${said}`);
}

/** The calls a reply names. */
function callsOf(event: KnownEvent): readonly { readonly callId: string; readonly input: unknown }[] {
  if (event.type !== 'model.response' || event.message === undefined) return [];
  return toolCallsOf(event.message).map(({ toolCallId: callId, input }) => ({ callId, input }));
}

function describeExit(output: unknown): string | null {
  const value = (output as { readonly value?: unknown }).value;
  const exitCode =
    typeof value === 'object' && value !== null ? (value as { readonly exitCode?: unknown }).exitCode : 0;
  return exitCode === 0 || exitCode === undefined ? null : `  exit ${String(exitCode)}`;
}
