/** What a node that is entered, or to be entered, needs recorded: all that is no effect. */
import type { ErrorInfo, EventDraft } from '../../../events/index.ts';
import { nodePathOf } from '../../../events/index.ts';
import { canonicalJson } from '../../../log/canonical.ts';
import type { PlacedNode } from '../../document/graph.ts';
import type { BranchNode, FoldNode, GateNode } from '../../document/types.ts';
import { evaluateCondition, evaluateTemplate } from '../../expression/index.ts';
import { draftFailedExit } from '../exit.ts';
import type { WalkedBody, WalkedNode } from '../state/progress.ts';
import { decodedOf, inputOf, itemsOf, scopeOf } from '../values.ts';
import { type Entry, errorInfoOf, type Walk } from './walk.ts';

/** What a gate's answer must be when the document does not say. */
const YES_OR_NO = { type: 'boolean' };

/** The most that a reason names. */
const NAMED_REASONS = 5;

/** Enters a node with its input; when that has no value, it fails at once. */
export function enterNode(walk: Walk, { body, placed, attempt }: Entry): void {
  const node = nodePathOf(body.path, placed.id);
  const { sha256 } = walk.options;
  const enter = (input: unknown): EventDraft => {
    const inputDigest = sha256(canonicalJson(input));
    return { type: 'node.enter', node, attempt, input, inputDigest };
  };
  try {
    walk.drafts.push(enter(inputOf(walk, body, placed)));
  } catch (error) {
    walk.drafts.push(enter(null), { type: 'node.exit', node, attempt, outcome: 'failed', error: errorInfoOf(error) });
  }
}

/** Skips a node that no live edge leads to. */
export function skipNode(walk: Walk, body: WalkedBody, placed: PlacedNode): void {
  const reasons = new Set(placed.incoming.map(({ from }) => reasonOf(body.nodes.get(from))));
  const named = [...reasons].slice(0, NAMED_REASONS);
  const more = reasons.size - named.length;
  const reason = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  walk.drafts.push({ type: 'node.skip', node: nodePathOf(body.path, placed.id), reason });
}

function reasonOf(from: WalkedNode | undefined): string {
  if (from?.status !== 'ok') return `'${from?.id ?? ''}' was skipped`;
  return typeof from.take === 'string' ? `'${from.id}' took '${from.take}'` : `'${from.id}' took no way`;
}

/** Records what follows for a node that was entered and has something to do but an effect. */
export function moveNode(walk: Walk, node: WalkedNode): void {
  try {
    moveByKind(walk, node);
  } catch (error) {
    failNode(walk, node, errorInfoOf(error));
  }
}

function moveByKind(walk: Walk, node: WalkedNode): void {
  const definition = node.placed.node;
  if (definition.kind === 'branch') moveBranch(walk, node, definition);
  else if (definition.kind === 'gate') moveGate(walk, node, definition);
  else if (definition.kind === 'map') moveMap(walk, node);
  else if (definition.kind === 'fold') moveFold(walk, node, definition);
}

function moveBranch(walk: Walk, node: WalkedNode, branch: BranchNode): void {
  let { take } = node;
  if (take === undefined) {
    const scope = scopeOf(walk, node.body);
    const held = branch.cases?.find(({ when }) => evaluateCondition(when, scope));
    take = held?.take ?? branch.otherwise ?? null;
    const by = held === undefined ? 'otherwise' : 'condition';
    walk.drafts.push({ type: 'branch.take', node: node.path, take, by });
  }
  finishNode(walk, node, { take });
}

function moveGate(walk: Walk, node: WalkedNode, gate: GateNode): void {
  if (node.answer !== undefined) {
    finishNode(walk, node, decodedOf(walk, node.answer.answer));
    return;
  }
  const question = evaluateTemplate(gate.question, scopeOf(walk, node.body));
  walk.drafts.push({
    type: 'gate.open',
    node: node.path,
    question: typeof question === 'string' ? question : canonicalJson(question),
    answerSchema: gate.answer ?? YES_OR_NO,
  });
}

function moveMap(walk: Walk, node: WalkedNode): void {
  const { items, bodies } = node;
  if (items === undefined) {
    walk.drafts.push({ type: 'map.open', node: node.path, count: itemsOf(walk, node).length });
  } else if (items.done === items.count) {
    const outputs = Array.from({ length: items.count }, (_, index) => decodedOf(walk, bodies?.outputs[index]));
    finishNode(walk, node, outputs);
  }
}

function moveFold(walk: Walk, node: WalkedNode, fold: FoldNode): void {
  const { passes = 0, bodies } = node;
  const done = bodies?.done ?? false;
  if (!done && passes < fold.maxPasses) return;
  if (!done && fold.onBound !== 'finish') {
    const message = `'until' did not hold in ${fold.maxPasses} passes`;
    failNode(walk, node, { code: 'limit_reached', message });
    return;
  }
  const outputs = (bodies?.outputs ?? []).map((output) => decodedOf(walk, output));
  finishNode(walk, node, fold.join === 'list' ? outputs : outputs.at(-1));
}

function finishNode(walk: Walk, { path: node, attempt }: WalkedNode, output: unknown): void {
  walk.drafts.push({ type: 'node.exit', node, attempt, outcome: 'ok', output });
}

/** What the document itself makes fail would fail the same way again: it is not retried. */
function failNode(walk: Walk, node: WalkedNode, error: ErrorInfo): void {
  walk.drafts.push(draftFailedExit(node, { error, final: true }));
}
