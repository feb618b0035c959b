/**
 * What a person sees while a graph run goes on: on stderr, a line for what each node does. With `--events`, every event as
 * a line of JSON on stdout.
 */
import { type EventOf, type KnownEvent, knownEvent, type LoggedEvent, type RunId } from '@ramet/core/events';
import { escapeLine, renderJson, truncateText } from '@ramet/core/text';
import type { RunObserver } from '@ramet/runtime/graph';
import { shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { renderFailure } from './failure.ts';
import { describeOpening } from './opening.ts';
import { renderInput } from './session.ts';
import { paint } from './style.ts';

export interface RunProgressOptions {
  readonly isNew: boolean;
  readonly isEvents: boolean;
  readonly isJson: boolean;
}

/** Watches a run for a person, or for a program that wants its events. */
export function observeRun(context: CliContext, store: FileStore, options: RunProgressOptions): RunObserver {
  if (options.isEvents) return streamEvents(context, store, options.isNew);
  return options.isJson ? {} : watchForPerson(context, store, options.isNew);
}

function streamEvents(context: CliContext, store: FileStore, isNew: boolean): RunObserver {
  const print = (event: LoggedEvent): void => context.stdout.write(`${renderJson(event)}\n`);
  return {
    event: print,
    run: (id) => {
      for (const event of isNew ? (store.read(id)?.readEvents() ?? []) : []) print(event);
    },
  };
}

function watchForPerson(context: CliContext, store: FileStore, isNew: boolean): RunObserver {
  const { stderr } = context;
  const show = (line: string): void =>
    stderr.write(`${paint(stderr, 'dim', truncateText(line, stderr.columns ?? 160))}\n`);
  const entered = new Map<string, number>();
  // Held back until something happens: a run that is refused leaves the refusal alone on stderr.
  let start: readonly string[] = [];
  return {
    run: (id) => {
      start = describeStart(store, id, isNew);
    },
    event: (event) => {
      const known = event.node === undefined ? null : knownEvent(event);
      if (known?.node === undefined) return;
      if (known.type === 'node.enter') entered.set(known.node, Date.parse(known.time));
      const line = describeEvent(known, entered);
      if (line === null) return;
      for (const said of start) show(said);
      start = [];
      show(`${escapeLine(known.node)}  ${line}`);
    },
    notice: (text) => stderr.write(`${paint(stderr, 'yellow', escapeLine(text))}\n`),
  };
}

function describeStart(store: FileStore, id: RunId, isNew: boolean): readonly string[] {
  const head = `run ${shortenIds(store)(id)}`;
  const [opening] = isNew ? (store.read(id)?.readEvents({ from: 1, to: 1 }) ?? []) : [];
  const opened = opening === undefined ? null : knownEvent(opening);
  return opened?.type === 'workspace.open' ? [head, ...describeOpening(opened, 'run')] : [head];
}

/** One line for what a person wants to see of an event; null for the rest. */
function describeEvent(event: KnownEvent, entered: ReadonlyMap<string, number>): string | null {
  switch (event.type) {
    case 'node.enter':
      return event.attempt === 1 ? null : `tried again (${event.attempt})`;
    case 'node.skip':
      return escapeLine(`skipped: ${String(event.reason)}`);
    case 'node.exit':
      return describeExit(event, entered.get(event.node ?? ''));
    case 'branch.take':
      return event.take === null ? 'takes no way' : escapeLine(`takes ${event.take}`);
    case 'map.open':
      return `${event.count} items`;
    case 'fold.pass':
      return `pass ${event.pass}${event.done ? ', done' : ''}`;
    case 'gate.open':
      return escapeLine(`asks: ${textOf(event.question)}`);
    case 'gate.answer':
      return 'answered';
    case 'tool.intent':
      return escapeLine(`${event.tool}  ${renderCall(event)}`);
    case 'tool.result':
      return event.outcome === 'ok' ? null : renderFailure(event.tool, event.outcome, event.output);
    default:
      return null;
  }
}

function describeExit({ outcome, error, retryAt, time }: EventOf<'node.exit'>, enteredMs: number | undefined): string {
  const took = enteredMs === undefined ? '' : ` in ${((Date.parse(time) - enteredMs) / 1000).toFixed(1)} s`;
  if (outcome === 'ok') return `done${took}`;
  const why = error === undefined ? '' : `: ${textOf(error.message)} (${textOf(error.code)})`;
  return escapeLine(`${outcome}${why}${retryAt === undefined ? '' : '; it is tried again'}`);
}

/** A program's command says more than the input it is given. */
function renderCall({ tool, input }: EventOf<'tool.intent'>): string {
  const command = tool === 'exec' ? (input as { readonly command?: unknown } | null)?.command : undefined;
  if (typeof command === 'string') return command;
  return Array.isArray(command) ? command.map(String).join(' ') : renderInput(input);
}

/** A long text lies beside the log. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '(a long text)';
}
