/** An event of a graph run's walk as words; null for any other. The words are not escaped. */
import type { KnownEvent } from '@ramet/core/events';
import type { Decode } from '@ramet/core/session';
import { renderCount, renderJson } from '@ramet/core/text';

/** What a walk's event is about, without its node. */
export function describeWalkEvent(event: KnownEvent, decode: Decode): string | null {
  switch (event.type) {
    case 'node.enter':
      return `${event.attempt === 1 ? '' : `attempt ${event.attempt}, `}input ${show(decode(event.input))}`;
    case 'node.exit':
      return describeExit(event, decode);
    case 'node.skip':
      return String(decode(event.reason));
    case 'branch.take':
      return `${event.take === null ? 'no way' : event.take}, by ${event.by}`;
    case 'map.open':
      return renderCount(event.count, 'item');
    case 'map.item':
      return `item ${event.index} ${event.outcome}${describeError(event.error, decode)}`;
    case 'fold.pass':
      return `pass ${event.pass}${event.done ? ', done' : ''}: ${show(decode(event.output))}`;
    case 'gate.open':
      return String(decode(event.question));
    case 'gate.answer':
      return `${show(decode(event.answer))} (by ${event.by === 'flag' ? 'a flag' : event.by}, to ${event.gate})`;
    default:
      return describeRunEvent(event, decode);
  }
}

function describeRunEvent(event: KnownEvent, decode: Decode): string | null {
  switch (event.type) {
    case 'graph.start': {
      const { graph, forkedFrom: from } = event;
      const origin = from === undefined ? '' : `, fork of ${from.id} at ${from.offset}, from ${from.fromNode}`;
      return `graph ${graph.slice(0, 12)}, input ${show(decode(event.input))}${origin}`;
    }
    case 'run.complete':
      return show(decode(event.output));
    case 'run.fail':
      return describeError(event.error, decode).slice(2);
    case 'run.abandon':
      return event.reason === undefined ? '' : String(decode(event.reason));
    default:
      return null;
  }
}

function describeExit({ outcome, output, error, retryAt }: Extract<KnownEvent, { type: 'node.exit' }>, decode: Decode) {
  if (outcome === 'ok') return `ok, output ${show(decode(output))}`;
  return `${outcome}${describeError(error, decode)}${retryAt === undefined ? '' : `; again at ${retryAt}`}`;
}

function describeError(error: unknown, decode: Decode): string {
  if (error === undefined) return '';
  const { message, code } = decode(error) as { readonly message?: unknown; readonly code?: unknown };
  return `: ${String(message)} (${String(code)})`;
}

function show(value: unknown): string {
  return renderJson(value ?? null);
}
