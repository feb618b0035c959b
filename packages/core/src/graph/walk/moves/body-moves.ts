/** What follows when every node of a body has finished or was skipped: the run's end, an item, a pass. */
import type { ErrorInfo } from '../../../events/index.ts';
import type { FoldNode } from '../../document/types.ts';
import { evaluateCondition } from '../../expression/index.ts';
import { failedPartOf } from '../state/failures.ts';
import type { WalkedBody, WalkedNode } from '../state/progress.ts';
import { outputOfBody, scopeOf } from '../values.ts';
import { errorInfoOf, failPart, type Walk } from './walk.ts';

/** Records what a finished body puts out, or fails what fails when that has no value. */
export function finishBody(walk: Walk, body: WalkedBody): void {
  const { owner } = body;
  try {
    if (owner === null) walk.drafts.push({ type: 'run.complete', output: outputOfBody(walk, body) });
    else if (owner.placed.node.kind === 'fold') finishPass(walk, body, { owner, node: owner.placed.node });
    else finishItem(walk, body, owner);
  } catch (error) {
    const info = errorInfoOf(error);
    failPart(walk, { part: failedPartOf(body), error: nameBody(body, info), final: true });
  }
}

function finishItem(walk: Walk, body: WalkedBody, owner: WalkedNode): void {
  const { index } = body;
  const output = outputOfBody(walk, body);
  walk.drafts.push({ type: 'map.item', node: owner.path, index, outcome: 'ok', output });
}

function finishPass(walk: Walk, body: WalkedBody, fold: { readonly owner: WalkedNode; readonly node: FoldNode }): void {
  const { index: pass } = body;
  const { owner, node } = fold;
  const output = outputOfBody(walk, body);
  const done = evaluateCondition(node.until, scopeOf(walk, owner.body, { output, pass }));
  walk.drafts.push({ type: 'fold.pass', node: owner.path, pass, output, done });
}

function nameBody({ path }: WalkedBody, error: ErrorInfo): ErrorInfo {
  return { code: error.code, message: `${path === '' ? 'output' : path}: ${error.message}` };
}
