/**
 * Whether what is recorded still follows from the document (W6). A process that takes a run up asks once: what it then
 * enters itself it has derived itself.
 */
import { Failure } from '../../codes/index.ts';
import type { EventDraft } from '../../events/index.ts';
import { canonicalJson } from '../../log/canonical.ts';
import type { WalkedNode } from './state/progress.ts';
import type { RunState, WalkOptions } from './types.ts';
import { inputOf, type ValueSource } from './values.ts';

/**
 * Computes the inputs of finished nodes again, and drafts the `run.fail` when one is not what was recorded. Nodes of
 * finished items and passes are covered by what their map or fold recorded. A node that an ancestor entered after it was
 * itself forked is not compared: the log does not say whether a person replaced its input there.
 */
export function checkReplay(state: RunState, options: Pick<WalkOptions, 'decode' | 'sha256'>): EventDraft | null {
  const source: ValueSource = { state, decode: options.decode };
  const { ancestorForkedAt } = state.progress;
  for (const body of state.progress.bodies.values()) {
    for (const node of body.nodes.values()) {
      const byAncestor = node.lastEntered <= state.inheritedThrough && node.lastEntered >= ancestorForkedAt;
      const found = node.status !== 'ok' || byAncestor ? null : findDifference(source, node, options);
      if (found !== null) return { type: 'run.fail', error: { code: 'replay_diverged', message: found } };
    }
  }
  return null;
}

function findDifference(source: ValueSource, node: WalkedNode, options: Pick<WalkOptions, 'sha256'>): string | null {
  const start = `${node.path} finished with an input (offset ${node.lastEntered}) that the document does not give it now`;
  try {
    const digest = options.sha256(canonicalJson(inputOf(source, node.body, node.placed)));
    return digest === node.inputDigest ? null : `${start}: its SHA-256 is ${digest}, recorded is ${node.inputDigest}`;
  } catch (error) {
    if (error instanceof Failure && error.code === 'expression_failed') return `${start}: ${error.message}`;
    throw error;
  }
}
