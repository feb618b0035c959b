/** An event as one line of `ramet log`: what matters of it. Everything recorded is escaped. */
import { type KnownEvent, knownEvent, type LoggedEvent } from '@ramet/core/events';
import type { Decode } from '@ramet/core/session';
import { escapeLine, renderBytes, renderCount, renderJson, truncateText } from '@ramet/core/text';
import { transcribe } from '@ramet/core/transcript';
import { describeLostGit } from './changes.ts';
import { describeEntry, renderInput } from './session.ts';
import { describeWalkEvent } from './walk-event.ts';

const LONGEST = 400;

/** One line of an event; of one this version does not know, its JSON. */
export function summarizeEvent(event: LoggedEvent, decode: Decode): string {
  const known = knownEvent(event);
  const said = known === null ? null : describeKnown(known, decode);
  const text = said === null || known?.node === undefined ? said : `${known.node}: ${said}`;
  return truncateText(text === null ? renderRest(event) : escapeLine(text), LONGEST);
}

function renderRest({ seq: _seq, prev: _prev, time: _time, type: _type, ...body }: LoggedEvent): string {
  return renderJson(body);
}

function describeKnown(event: KnownEvent, decode: Decode): string | null {
  return (
    describeWorkspaceEvent(event) ??
    describeSessionEvent(event) ??
    describeWalkEvent(event, decode) ??
    describeCall(event, decode)
  );
}

function describeWorkspaceEvent(event: KnownEvent): string | null {
  switch (event.type) {
    case 'workspace.open': {
      const base = event.base === null ? '' : ` from ${event.branch ?? 'a commit'} ${event.base.slice(0, 12)}`;
      return `${event.kind}${base}`;
    }
    case 'workspace.checkpoint': {
      const { added, modified, deleted } = event.changed;
      const lost = describeLostGit(event);
      const files = `${renderCount(event.files, 'file')}, ${renderBytes(event.bytes)}`;
      return `${event.id.slice(0, 12)}: ${files}; ${added} added, ${modified} modified, ${deleted} deleted${lost === null ? '' : `; ${lost}`}`;
    }
    case 'workspace.restore':
      return `${event.outcome}${event.reason === undefined ? '' : `: ${event.reason}`}`;
    default:
      return null;
  }
}

function describeSessionEvent(event: KnownEvent): string | null {
  switch (event.type) {
    case 'session.start': {
      const { workspace, cwd, forkedFrom: from } = event;
      const origin = from === undefined ? '' : `, from node ${from.fromNode} of ${from.id} at ${from.offset}`;
      return `workspace ${workspace}${cwd === '' ? '' : `, in ${cwd}`}${origin}`;
    }
    case 'session.config':
      return `${event.model.name || 'no model'}, sandbox ${event.sandbox}`;
    case 'session.end': {
      const { reason, checkpoint, why, error } = event;
      const kept = checkpoint === 'none' ? `no checkpoint (${why ?? 'no reason'})` : checkpoint.slice(0, 12);
      return `${reason}, ${kept}${error === undefined ? '' : `: ${error.message} (${error.code})`}`;
    }
    case 'session.fork':
      return `of ${event.parent} at ${event.offset}`;
    case 'session.title':
      return event.title;
    case 'log.repair':
      return event.kept ? 'a line without its end was kept' : `${renderCount(event.droppedBytes, 'byte')} dropped`;
    default:
      return null;
  }
}

function describeCall(event: KnownEvent, decode: Decode): string | null {
  if (event.type === 'model.request') return `${event.model}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`;
  if (event.type === 'tool.intent') return `${event.tool} ${renderInput(decode(event.input))}`;
  const entries = transcribe(event, decode).map(describeEntry);
  return entries.length === 0 ? null : entries.map(({ label, text }) => `${label} ${text}`.trimEnd()).join('; ');
}
