/** A fork of a graph run as text: what it holds, what comes back, what it would make again. */
import type { RunId } from '@ramet/core/events';
import type { RunForkPlan, RunWriteHazard } from '@ramet/core/fork';
import { escapeLine, renderBytes, renderCount, renderJson, truncateText } from '@ramet/core/text';
import type { RunForkResult } from '@ramet/runtime/fork';
import { shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { ForkFlags } from '../flags.ts';
import { paint } from './style.ts';

export interface RunForkRendering {
  readonly made: RunForkResult;
  readonly ms: number;
  readonly acknowledged: readonly number[];
  readonly flags: Pick<ForkFlags, 'acknowledgeWrites'>;
}

/** What a person is told of a fork, made or planned. */
export function renderRunFork(context: CliContext, store: FileStore, rendering: RunForkRendering): string {
  const { made, ms, acknowledged, flags } = rendering;
  const { run, forkedFrom, plan, wouldProceed } = made;
  const short = shortenIds(store, [forkedFrom.id]);
  const lines = [renderFirst(made, { ms, short }), ...(plan === null ? [] : renderPlan(context, plan, run === null))];
  if (acknowledged.length > 0) {
    lines.push(`acknowledged: ${acknowledged.join(', ')}: ${describeConsent(acknowledged.length)}`);
  } else if (flags.acknowledgeWrites === 'all') lines.push('acknowledged: none, there is no write to make again');
  if (run === null) lines.push(renderVerdict(made, wouldProceed));
  return lines.map((line) => `${line}\n`).join('');
}

/** The consent is to the recorded call: the engine asks about any other. */
function describeConsent(count: number): string {
  const what = count === 1 ? 'it is made again' : 'each is made again';
  return `${what} if the child makes that very call; any other write of ${count === 1 ? 'that node' : 'those nodes'} is asked about first`;
}

function renderFirst(
  { run, forkedFrom, plan, bytes, repeated }: RunForkResult,
  { ms, short }: { readonly ms: number; readonly short: (id: RunId) => string },
): string {
  const origin = `${short(forkedFrom.id)} at ${forkedFrom.offset}, from ${escapeLine(forkedFrom.fromNode)}`;
  if (plan === null || repeated) return `this key made it before: a fork of ${origin}`;
  const events = renderCount(plan.prefix.events, 'event');
  const sizes = `${renderBytes(bytes.own)} new, ${renderBytes(bytes.shared)} shared`;
  if (run === null) return `would fork ${origin} (offset ${plan.boundary.offset}): ${events}, ${sizes}`;
  return `forked ${origin}: ${events}, ${sizes}, ${ms.toFixed(1)} ms, 0 tokens`;
}

function renderPlan(context: CliContext, plan: RunForkPlan, isDryRun: boolean): readonly string[] {
  const { writes, exempt, idempotent, workspaces } = plan;
  const lines = workspaces.flatMap(renderWorkspace);
  if (isDryRun && writes.length > 0) lines.push(...renderWrites(context, writes).trimEnd().split('\n'));
  if (idempotent.length > 0) {
    lines.push(`again with their keys, which their receivers honour: ${listCalls(idempotent)}`);
  }
  if (exempt.length > 0) lines.push(`stayed in the workspace, which comes back: ${listCalls(exempt)}`);
  return lines;
}

function renderWorkspace({
  workspace,
  kind,
  checkpoint,
  leftOut,
}: RunForkPlan['workspaces'][number]): readonly string[] {
  const whose = workspace === '' ? 'files' : `files of ${escapeLine(workspace)}`;
  if (kind === 'none') return [`${whose}: a folder that nothing keeps: empty in the child`];
  if (kind === 'directory') return [`${whose}: the live folder is shared, not restored`];
  const lines =
    checkpoint === null
      ? [`${whose}: as at the start of the run: there is no checkpoint before that node`]
      : [`${whose}: come back as they were there (checkpoint ${checkpoint.slice(0, 12)})`];
  if (leftOut.length > 0) {
    const named = leftOut.slice(0, 10).map(escapeLine).join(', ');
    lines.push(`not in it: what ${named}${leftOut.length > 10 ? ', ...' : ''} had written and not finished`);
  }
  return lines;
}

const SHOWN_CALLS = 10;

function listCalls(calls: RunForkPlan['exempt']): string {
  const named = calls
    .slice(0, SHOWN_CALLS)
    .map(({ tool, node, offset }) => escapeLine(`${tool} of ${node} (${offset})`));
  return `${named.join(', ')}${calls.length > SHOWN_CALLS ? `, and ${calls.length - SHOWN_CALLS} more` : ''}`;
}

/** Writes that the child would make again, each with what tells it apart. */
export function renderWrites(context: CliContext, writes: readonly RunWriteHazard[]): string {
  const { columns = 160 } = context.stderr;
  const head = `${renderCount(writes.length, 'write')} left already and would be made again:`;
  const lines = writes.flatMap(({ offset, node, tool, input, key, time, outcome, relation, straddles }) => [
    `  ${offset}  ${escapeLine(node)}  ${escapeLine(tool)} (${outcome})  ${escapeLine(time)}  ${
      relation === 'descends' ? 'comes after the fork node' : 'ran at the same time'
    }${straddles ? ', begun before it' : ''}`,
    truncateText(`      input ${renderJson(input)}`, columns),
    truncateText(`      key ${escapeLine(key)}`, columns),
  ]);
  return [paint(context.stderr, 'yellow', head), ...lines].map((line) => `${line}\n`).join('');
}

function renderVerdict({ plan }: RunForkResult, wouldProceed: boolean): string {
  if (wouldProceed) return 'it would go through';
  const open = (plan?.writes ?? []).filter(({ offset }) => !plan?.acknowledged.includes(offset));
  return `it would be refused; to make them again on purpose: --acknowledge-writes ${open.map(({ offset }) => offset).join(',')}`;
}
