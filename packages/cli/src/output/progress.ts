/**
 * What a person sees while a turn runs: on stderr, what is done; on a terminal's stdout, the agent's words as they come.
 * With `--events`, every event as a line of JSON on stdout.
 */
import { type KnownEvent, knownEvent, type LoggedEvent, type RunId } from '@ramet/core/events';
import { escapeLine, escapeText, renderCount, renderJson, truncateText } from '@ramet/core/text';
import type { TurnObserver } from '@ramet/runtime/session';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { shortenIds } from '../store.ts';
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
  const say = (line: string): void => {
    live?.breakLine();
    stderr.write(`${line}\n`);
  };
  const observer: TurnObserver = {
    session: (id) => {
      for (const line of describeStart(store, id, isNew)) say(paint(stderr, 'dim', line));
    },
    event: (event) => {
      const known = knownEvent(event);
      const line = known === null ? null : describeEvent(known);
      if (line !== null) say(paint(stderr, 'dim', truncateText(line, stderr.columns ?? 160)));
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
  const lines = [`session ${shortenIds(store)(id)}`];
  if (!isNew) return lines;
  for (const event of store.read(id)?.readEvents({ from: 1, to: 1 }) ?? []) {
    const known = knownEvent(event);
    if (known?.type === 'workspace.open') lines.push(...describeOpening(known));
  }
  return lines;
}

/** Names what stays behind in the person's checkout. */
function describeOpening(opened: Extract<KnownEvent, { type: 'workspace.open' }>): readonly string[] {
  const { staged, unstaged, untracked, stashes, operation, carried } = opened.dirty as Readonly<
    Record<string, unknown>
  >;
  const paths = [
    ...new Set([staged, unstaged, untracked].flatMap((list) => (Array.isArray(list) ? list.map(String) : []))),
  ];
  const lines: string[] = [];
  if (paths.length > 0) {
    const named = paths.slice(0, 8).map(escapeLine).join(', ');
    const more = paths.length > 8 ? `, and ${paths.length - 8} more` : '';
    const what =
      carried === true
        ? 'uncommitted changes came along'
        : 'uncommitted changes stay behind (--allow-dirty brings them)';
    lines.push(`${what}: ${named}${more}`);
  }
  if (typeof stashes === 'number' && stashes > 0)
    lines.push(`${renderCount(stashes, 'stash', 'stashes')} stay${stashes === 1 ? 's' : ''} behind`);
  if (typeof operation === 'string') lines.push(`a ${escapeLine(operation)} in progress stays behind`);
  if (opened.leftOut.length > 0) {
    const named = opened.leftOut
      .slice(0, 5)
      .map((entry) => escapeLine(entry.path))
      .join(', ');
    lines.push(`ignored files left out: ${named}${opened.leftOut.length > 5 ? ', ...' : ''}`);
  }
  return lines;
}

/** One line for what a person wants to see of an event; null for the rest. */
function describeEvent(event: KnownEvent): string | null {
  switch (event.type) {
    case 'workspace.restore': {
      const reason = event.reason === undefined ? '' : `: ${event.reason}`;
      return escapeLine(`files ${event.outcome}${reason}`);
    }
    case 'tool.intent':
      return escapeLine(`${event.tool}  ${renderInput(event.input)}`);
    case 'tool.result':
      return event.outcome === 'ok' ? describeExit(event.output) : escapeLine(`  ${event.tool}: ${event.outcome}`);
    case 'context.compact':
      return 'the conversation was summarised, because it no longer fits';
    case 'model.response':
      return event.error === undefined
        ? null
        : escapeLine(`the model failed: ${event.error.message} (${event.error.code})`);
    default:
      return null;
  }
}

function describeExit(output: unknown): string | null {
  const value = (output as { readonly value?: unknown }).value;
  const exitCode =
    typeof value === 'object' && value !== null ? (value as { readonly exitCode?: unknown }).exitCode : 0;
  return exitCode === 0 || exitCode === undefined ? null : `  exit ${String(exitCode)}`;
}
