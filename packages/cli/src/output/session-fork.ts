/** How a fork of a session is told: what it holds, what comes back, what is not undone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { knownEvent, type RunId } from '@ramet/core/events';
import type { WriteHazard } from '@ramet/core/fork';
import { decodeValue } from '@ramet/core/log';
import { escapeLine, renderBytes, renderCount, renderJson, truncateText } from '@ramet/core/text';
import type { ForkResult } from '@ramet/runtime/fork';
import { bytesOfRun } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { shortenIds } from '../store.ts';
import { paint } from './style.ts';

/** A fork of a session in answers. */
export interface DescribedFork {
  readonly session: RunId | null;
  readonly dryRun?: true;
  readonly forkedFrom: ForkResult['forkedFrom'];
  readonly workspace: {
    readonly kind: string;
    /** Whether the files of that turn come back when the child first runs. */
    readonly restorable: boolean;
    readonly checkpoint?: string;
    /** Why they do not. */
    readonly reason?: string;
    /** What the checkpoint does not hold. */
    readonly leftOut: readonly unknown[];
  };
  readonly outstanding: readonly WriteHazard[];
  readonly bytes: ForkResult['bytes'];
}

/** What is answered of a fork, made or planned. */
export function describeFork(store: FileStore, source: RunId, result: ForkResult): DescribedFork {
  const { session, forkedFrom, plan, bytes } = result;
  return {
    session,
    ...(session === null ? { dryRun: true } : {}),
    forkedFrom,
    workspace: describeWorkspace(store, session ?? source, result),
    outstanding: plan.outstanding,
    // Of one that is not there yet only the lines of its log are known.
    bytes: session === null ? bytes : bytesOfRun(store.pathsOf(session)),
  };
}

/** Child and source hold the same lines up to the boundary. */
function describeWorkspace(store: FileStore, holder: RunId, { plan }: ForkResult): DescribedFork['workspace'] {
  const { workspace: kind, boundary, project } = plan;
  const { checkpoint, offset } = boundary;
  if (kind === 'directory') {
    return { kind, restorable: false, reason: 'the live folder is shared, not restored', leftOut: [] };
  }
  if (kind === 'none') return { kind, restorable: false, reason: 'the session has no workspace', leftOut: [] };
  const range = { from: Math.max(0, offset - 1), to: offset };
  const log = store.read(holder);
  const events = [...(log?.readEvents(range) ?? [])].map((event) => knownEvent(event));
  if (checkpoint === null) {
    const end = events.find((event) => event?.type === 'session.end');
    const why = end?.type === 'session.end' ? end.why : undefined;
    return {
      kind,
      restorable: false,
      reason: `that turn has no checkpoint: ${why ?? 'no reason is recorded'}`,
      leftOut: [],
    };
  }
  const storeGit = join(store.layout.projects, project ?? '', 'store.git');
  if (project === null || !existsSync(storeGit)) {
    const reason = `the checkpoints of its project are gone (${storeGit})`;
    return { kind, restorable: false, checkpoint, reason, leftOut: [] };
  }
  const taken = events.find((event) => event?.type === 'workspace.checkpoint');
  const leftOut = taken?.type === 'workspace.checkpoint' && Array.isArray(taken.leftOut) ? taken.leftOut : [];
  // A long name lies beside the log.
  const whole = leftOut.map((entry) => decodeValue(entry, (digest) => log?.readPayload(digest) ?? null));
  return { kind, restorable: true, checkpoint, leftOut: whole };
}

/** What a person is told of it. */
export function renderFork(
  context: CliContext,
  made: {
    readonly store: FileStore;
    readonly result: ForkResult;
    readonly described: DescribedFork;
    readonly ms: number;
  },
): string {
  const { store, result, described, ms } = made;
  const { forkedFrom, session, plan } = result;
  const { bytes } = described;
  const short = shortenIds(store, [forkedFrom.id]);
  const origin = `${short(forkedFrom.id)} at ${forkedFrom.offset}`;
  const sizes = `${renderBytes(bytes.own)} new, ${renderBytes(bytes.shared)} shared`;
  const events = renderCount(plan.prefix.events, 'event');
  const first =
    session === null
      ? `would fork ${origin}: ${events}, ${sizes}`
      : `forked ${origin}: ${events}, ${sizes}, ${ms.toFixed(1)} ms, 0 tokens`;
  const lines = [first, ...renderWorkspace(described), ...renderOutstanding(context, described.outstanding)];
  if (session !== null) lines.push(`go on: ramet run --session ${short(session)} "..."`);
  return lines.map((line) => `${line}\n`).join('');
}

function renderWorkspace({ workspace }: DescribedFork): readonly string[] {
  const { restorable, reason, checkpoint, leftOut } = workspace;
  if (!restorable) return [`files: not restored: ${escapeLine(reason ?? '')}`];
  const lines = [
    `files: come back as they were at that turn (checkpoint ${checkpoint?.slice(0, 12)}), when it first runs`,
  ];
  if (leftOut.length > 0) {
    const names = leftOut.slice(0, 5).map((entry) => escapeLine(String((entry as { path?: unknown }).path)));
    const more = leftOut.length > names.length ? `, and ${leftOut.length - names.length} more` : '';
    lines.push(`not in that checkpoint: ${names.join(', ')}${more}`);
  }
  return lines;
}

/** Writes that a fork does not undo. */
function renderOutstanding(context: CliContext, outstanding: readonly WriteHazard[]): readonly string[] {
  if (outstanding.length === 0) return [];
  const head = `${renderCount(outstanding.length, 'write')} after that turn left the workspace and will not be undone:`;
  const writes = outstanding.map(({ offset, tool, input, outcome }) =>
    truncateText(`  ${offset}  ${escapeLine(tool)} (${outcome})  ${renderJson(input)}`, context.stderr.columns ?? 160),
  );
  return [paint(context.stderr, 'yellow', head), ...writes];
}
