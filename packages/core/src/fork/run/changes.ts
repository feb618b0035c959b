/** What a person changes in a fork of a run, and what of the source's own changes the child still rests on. */
import { isRefusal, type Refusal } from '../../codes/index.ts';
import { type NodePath, nodeIdOf, type RunChanges } from '../../events/index.ts';
import type { FoundNode } from './boundary.ts';
import { compareGraphs } from './graph-changes.ts';
import { resolveNodeName } from './names.ts';
import { findOutputUsers } from './output-users.ts';
import { listSome, refuseRunFork } from './refusals.ts';
import { type PrefixNodes, readPrefixNodes } from './settled.ts';
import type { RunForkPlan, RunForkRequest, RunForkSource } from './types.ts';

/** The part of a plan that says what is changed. */
export type PlannedChanges = Pick<RunForkPlan, 'changes' | 'inheritedChanges'>;

/** The changes a request asks for, or why one cannot be made. */
export function planChanges(
  source: RunForkSource,
  boundary: FoundNode,
  request: RunForkRequest,
): PlannedChanges | Refusal {
  const { input, outputs, graph } = request;
  const isOther = graph !== undefined && graph.hash !== source.graph.hash;
  const changed = source.heads[0]?.graph?.forkedFrom?.changed === true;
  const needed = isOther || outputs !== undefined || changed;
  const prefix = needed ? readPrefixNodes(source, boundary) : { nodes: new Map(), doneBodies: new Set<string>() };
  const replaced = outputs === undefined ? {} : planOutputs(source, prefix, outputs);
  if (isRefusal(replaced)) return replaced;
  const refusal = isOther ? compareGraphs(source.graph, graph, { prefix, boundary: boundary.mark.node }) : null;
  if (refusal !== null) return refusal;
  const inherited = changed ? planInherited(source, boundary, { prefix, request }) : {};
  if (isRefusal(inherited)) return inherited;
  const changes: RunChanges = {
    ...(input === undefined ? {} : { input }),
    ...(Object.keys(replaced).length === 0 ? {} : { outputs: replaced }),
    ...(isOther ? { graphFrom: source.graph.hash } : {}),
  };
  return { ...(Object.keys(changes).length === 0 ? {} : { changes }), ...inherited };
}

/** The outputs by path. */
function planOutputs(
  source: RunForkSource,
  prefix: PrefixNodes,
  outputs: NonNullable<RunForkRequest['outputs']>,
): Readonly<Record<NodePath, unknown>> | Refusal {
  const planned = new Map<NodePath, unknown>();
  for (const [text, output] of Object.entries(outputs)) {
    const path = findFinished(source, prefix, text);
    if (isRefusal(path)) return path;
    const users = findOutputUsers(source.graph, prefix, path);
    if (users.length > 0) {
      const message = `the output of ${path} cannot be replaced: ${listSome(users)} used it before the boundary`;
      return refuseRunFork('change_refused', message, { node: path, users });
    }
    planned.set(path, output);
  }
  return Object.fromEntries(planned);
}

function findFinished(source: RunForkSource, { nodes }: PrefixNodes, text: string): NodePath | Refusal {
  const name = resolveNodeName(source.graph, text);
  if (isRefusal(name)) return name;
  const finished: NodePath[] = [];
  for (const [path, standing] of nodes) if (standing === 'finished' && name.matches(path)) finished.push(path);
  const [path, ...others] = finished;
  if (path === undefined) {
    const message = `the output of ${text} cannot be replaced: it had not finished at the boundary`;
    return refuseRunFork('change_refused', message, { node: text });
  }
  if (others.length === 0) return path;
  const message = `${text} finished at ${finished.length} places, name one by its path: ${listSome(finished)}`;
  return refuseRunFork('change_refused', message, { node: text, paths: finished });
}

/** Kinds of nodes that are given their input again when they are entered again. */
const TAKES_INPUT_AGAIN: ReadonlySet<string> = new Set(['agent', 'tool', 'branch']);

/**
 * A child's event 0 takes the place of the source's: outputs that the source's fork replaced in the prefix are replaced
 * in the child, and its fork node keeps the input it was given when that node is the boundary again.
 */
function planInherited(
  source: RunForkSource,
  { mark }: FoundNode,
  { prefix, request }: { readonly prefix: PrefixNodes; readonly request: RunForkRequest },
): Pick<RunForkPlan, 'inheritedChanges'> | Refusal {
  const { fromNode, offset = -1 } = source.heads[0]?.graph?.forkedFrom ?? {};
  const { input, outputs } = readChanges(source);
  const isAgain = mark.node === fromNode && mark.offset > offset;
  const standing = fromNode === undefined || isAgain ? undefined : prefix.nodes.get(fromNode);
  const kind = source.graph.nodes.get(nodeIdOf(fromNode ?? ''))?.node.kind ?? '';
  // Below the fork's own offset the node had its old input; what is open there is given what the child's event 0 says.
  if (input !== undefined && standing === 'open' && mark.offset > offset + 1 && TAKES_INPUT_AGAIN.has(kind)) {
    const message = `the source's own fork changed the input of ${fromNode}, which had not finished at this boundary`;
    return refuseRunFork('change_refused', message, { node: fromNode });
  }
  const kept = Object.entries(outputs ?? {}).filter(([path]) => prefix.nodes.get(path) === 'finished');
  const inherited = {
    ...(input !== undefined && isAgain && request.input === undefined ? { input } : {}),
    ...(kept.length === 0 ? {} : { outputs: Object.fromEntries(kept) }),
  };
  return Object.keys(inherited).length === 0 ? {} : { inheritedChanges: inherited };
}

function readChanges(source: RunForkSource): RunChanges {
  const start = source.readLine(0, 0, source.heads[0]?.graph?.bytes ?? 0) as {
    readonly forkedFrom?: { readonly changes?: RunChanges };
  };
  return start.forkedFrom?.changes ?? {};
}
