/** How a graph run stands, read from its log: what driving it here would have answered. */
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import type { ParkedFor, RunResult } from '@ramet/runtime/graph';
import { type GraphRunView, viewGraphRun } from '@ramet/runtime/inspect/runs';
import type { FileStore } from '@ramet/runtime/store';

/** Reads how a run ended, or what it waits for. */
export function readRunResult(store: FileStore, id: RunId): RunResult | Refusal {
  const read = viewGraphRun(store, id);
  if (isRefusal(read)) return read;
  const { state, output, error, waits, own } = read.view;
  const base = { run: id, usage: own.usage };
  switch (state) {
    case 'completed':
      return { ...base, status: state, output };
    case 'failed':
      return { ...base, status: state, ...(error === undefined ? {} : { error }) };
    case 'abandoned':
      return { ...base, status: state };
    case 'parked':
      return { ...base, status: state, parked: describeParked(id, waits) };
    default:
      return { ...base, status: 'interrupted' };
  }
}

function describeParked(id: RunId, { gates, calls }: GraphRunView['waits']): ParkedFor {
  return {
    gates,
    calls: calls.map(({ node, offset, tool, reason }) => ({
      node,
      offset,
      reason,
      message:
        reason === 'outcome_unknown'
          ? `nobody knows whether ${tool} at offset ${offset} happened: ramet resolve ${id} --offset ${offset} (--happened --result <json> | --did-not-happen | --retry)`
          : `${tool} of ${node} waits for a person; go on at a terminal with \`ramet resume ${id}\``,
    })),
  };
}
