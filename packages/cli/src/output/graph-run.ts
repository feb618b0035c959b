/** A graph run as text. Everything recorded is escaped. */
import type { RunId } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { escapeLine, escapeText, renderBytes, renderCount, renderJson, truncateText } from '@ramet/core/text';
import type { GraphRunView, NodeView } from '@ramet/runtime/inspect/runs';
import type { CliContext } from '../context.ts';
import { renderFacts } from './facts.ts';
import { renderParked } from './run-result.ts';
import { paint } from './style.ts';
import { renderUsage } from './usage.ts';
import { renderWalk } from './walk.ts';

export interface GraphRunRendering {
  readonly document: Graph | null;
  readonly short: (id: RunId) => string;
  readonly isFull: boolean;
}

/** Characters shown of a value. */
const LONGEST = 300;

/** Renders a run: facts, what it waits for, its walk. */
export function renderGraphRun(context: CliContext, view: GraphRunView, rendering: GraphRunRendering): string {
  const { document, short, isFull } = rendering;
  const name = view.title || view.graphName || '(no title)';
  const facts = renderFacts(
    context.stdout,
    listFacts(view, rendering).map(([label, text]) => ({ label, text })),
  );
  const waits = describeWaits(view, short(view.id));
  const lines = [
    paint(context.stdout, 'bold', escapeLine(name)),
    ...facts,
    ...(waits.length === 0 ? [] : ['', ...waits]),
    '',
    ...renderWalk(context, { walk: view.walk, document, isFull }),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Renders one or more nodes of a run in full. */
export function renderNodes(context: CliContext, nodes: readonly NodeView[], isFull: boolean): string {
  const blocks = nodes.map((view) => {
    const head = `${view.node}${view.kind === null ? '' : `, ${view.kind}`}: ${view.state}`;
    const facts = renderFacts(
      context.stdout,
      listNodeFacts(view, isFull).map(([label, text]) => ({ label, text })),
    );
    return [paint(context.stdout, 'bold', escapeLine(head)), ...facts];
  });
  return blocks.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

type Fact = readonly [label: string, text: string];

function listFacts(view: GraphRunView, { short, isFull }: GraphRunRendering): readonly Fact[] {
  const { damage, labels, own, inherited, bytes, nodes, workspace, path } = view;
  const facts: Fact[] = [
    ['id', view.id],
    ['state', view.state],
    ['graph', `${view.graphName === undefined ? '' : `${escapeLine(view.graphName)}, `}${view.graph.slice(0, 12)}`],
  ];
  if (damage !== undefined) {
    const { segment, line, expected, found } = damage;
    facts.push(['damage', escapeLine(`${segment}, line ${line}: expected ${expected}, found ${found}`)]);
  }
  facts.push(...listForkFacts(view, short, isFull));
  const named = Object.entries(labels).map(([key, value]) => escapeLine(`${key}=${value}`));
  if (named.length > 0) facts.push(['labels', named.join(', ')]);
  facts.push(['input', showValue(view.input, isFull)]);
  if (view.state === 'completed') facts.push(['output', showValue(view.output, isFull)]);
  if (view.error !== undefined) facts.push(['error', escapeLine(`${view.error.message} (${view.error.code})`)]);
  facts.push(['nodes', `${nodes.done} done of ${nodes.entered} entered`]);
  facts.push(['workspace', workspace]);
  if (path !== undefined) facts.push(['folder', escapeLine(path)]);
  facts.push(['usage', renderUsage(own.usage)]);
  if (inherited.usage.replies > 0) facts.push(['inherited', renderUsage(inherited.usage)]);
  facts.push(['log', renderCount(view.events, 'event')]);
  facts.push(['size', `${renderBytes(bytes.own)} own, ${renderBytes(bytes.shared)} shared`]);
  return facts;
}

function listForkFacts({ forkedFrom }: GraphRunView, short: (id: RunId) => string, isFull: boolean): readonly Fact[] {
  if (forkedFrom === undefined) return [];
  const { id, offset, fromNode, removed, acknowledgedWrites, changes } = forkedFrom;
  const facts: Fact[] = [
    ['fork of', `${short(id)} at ${offset}, from ${escapeLine(fromNode)}${removed ? ' (removed)' : ''}`],
  ];
  if (acknowledgedWrites.length > 0) facts.push(['again', `writes ${acknowledgedWrites.join(', ')}, on purpose`]);
  if (changes?.graphFrom !== undefined)
    facts.push(['changed', `the document: it was ${changes.graphFrom.slice(0, 12)}`]);
  if (changes?.input !== undefined)
    facts.push(['changed', `input of ${escapeLine(fromNode)}: ${showValue(changes.input, isFull)}`]);
  for (const [node, value] of Object.entries(changes?.outputs ?? {})) {
    facts.push(['changed', `output of ${escapeLine(node)}: ${showValue(value, isFull)}`]);
  }
  return facts;
}

function describeWaits({ waits }: GraphRunView, id: string): readonly string[] {
  const { gates, calls } = waits;
  const described = calls.map(({ tool, offset, ...call }) => ({
    ...call,
    offset,
    message:
      call.reason === 'outcome_unknown'
        ? `nobody knows whether ${tool} at offset ${offset} happened: ramet resolve ${id} --offset ${offset} (--happened --result <json> | --did-not-happen | --retry)`
        : `${tool} is asked about at offset ${offset}; answer at a terminal`,
  }));
  return renderParked({ gates, calls: described }, id, waits.flags);
}

function listNodeFacts(view: NodeView, isFull: boolean): readonly Fact[] {
  const { visits, end, input, output, error, reason, take, gate, calls, checkpoint, items, passes } = view;
  const facts: Fact[] = visits.map(({ offset, time, inherited }) => [
    'entered',
    `at ${offset}, ${escapeLine(time)}${inherited ? ' (inherited)' : ''}`,
  ]);
  if (end !== undefined) facts.push(['ended', `at ${end.offset}, ${escapeLine(end.time)}`]);
  if (reason !== undefined) facts.push(['why', escapeLine(reason)]);
  if (input !== undefined) facts.push(['input', showValue(input, isFull)]);
  if (take !== undefined) facts.push(['takes', escapeLine(take ?? 'no way')]);
  if (items !== undefined) facts.push(['items', `${items.done} of ${items.count}, ${items.failed} failed`]);
  if (passes !== undefined) facts.push(['passes', String(passes)]);
  if (gate !== undefined) facts.push(['asks', escapeLine(gate.question)]);
  if (gate !== undefined && 'answer' in gate) facts.push(['answer', showValue(gate.answer, isFull)]);
  for (const { offset, tool, effect, contained, outcome } of calls) {
    const where = contained === true ? ', contained' : contained === false ? '' : `, contained ${contained}`;
    facts.push(['call', escapeLine(`${tool} at ${offset}: ${effect}${where}, ${outcome}`)]);
  }
  if (output !== undefined) facts.push(['output', showValue(output, isFull)]);
  if (error !== undefined) facts.push(['error', escapeLine(`${error.message} (${error.code})`)]);
  if (checkpoint !== undefined) facts.push(['checkpoint', checkpoint.slice(0, 12)]);
  return facts;
}

function showValue(value: unknown, isFull: boolean): string {
  const text = typeof value === 'string' ? escapeText(value).replaceAll('\n', '\\n') : renderJson(value ?? null);
  return isFull ? text : truncateText(text, LONGEST);
}
