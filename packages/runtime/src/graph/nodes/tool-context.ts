import type { ToolContext } from '../../tools/index.ts';
import type { OpenRun } from '../drive/types.ts';
import type { NodeWork } from './types.ts';

/** Most bytes of one call's output that are kept: those of a document's own calls are values, not words for a model. */
const OUTPUT_LIMIT_BYTES = 1024 * 1024;

/** What a call of a node may use. Everything starts in the root of the node's files. */
export function toolContextOf(run: OpenRun, work: NodeWork): ToolContext {
  const { place, signal } = work;
  const { notice } = run.settings.observer;
  return {
    sandbox: place.sandbox,
    workspace: place.path,
    cwd: '',
    signal,
    frozen: place.workspace.frozen,
    runsFolder: run.services.store.layout.runs,
    allowNet: run.settings.allowNet,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
    ...(notice === undefined ? {} : { onNotice: notice }),
  };
}
