import type { RunId } from '@ramet/core/events';
import { escapeLine, renderAge, renderColumns, truncateText } from '@ramet/core/text';
import { describeRun } from '@ramet/runtime/answers';
import { shortenIds } from '@ramet/runtime/inspect';
import { type GraphRunListing, listGraphRuns } from '@ramet/runtime/inspect/runs';
import type { CliContext } from '../context.ts';
import type { RunsFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { paint } from '../output/style.ts';
import { arrangeTree, type TreeRow } from '../output/tree.ts';
import { renderCost } from '../output/usage.ts';
import { openStore } from '../store.ts';

/** Lists graph runs, the one that was active last first. */
export const runs: Action<RunsFlags, []> = async (context, flags) => {
  const store = openStore(context);
  const all = listGraphRuns(store);
  const shown = flags.limit === undefined ? all : all.slice(0, flags.limit);
  const json = { runs: shown.map(describeRun) };
  if (flags.json) return { json };
  if (shown.length === 0) return { json, notes: 'no runs yet; start one: ramet graph run <file>\n' };
  const rows = flags.tree ? arrangeTree(shown) : shown.map((run) => ({ run, branch: '' }));
  const parents = shown.flatMap(({ forkedFrom }) => (forkedFrom === undefined ? [] : [forkedFrom.id]));
  return { json, text: renderTable(context, rows, shortenIds(store, parents)) };
};

const WIDE_COLUMNS = 100;
const NARROW_COLUMNS = 80;

function renderTable(
  context: CliContext,
  rows: readonly TreeRow<GraphRunListing>[],
  short: (id: RunId) => string,
): string {
  const { columns } = context.stdout;
  // On a narrow terminal the name matters more than what a run waits for, and than its cost.
  const hasCost =
    (columns === undefined || columns >= NARROW_COLUMNS) && rows.some(({ run }) => renderCost(run.own.usage) !== '');
  const hasWaits = columns === undefined || columns >= WIDE_COLUMNS;
  const head = ['ID', 'AGE', 'STATE', 'NODES', ...(hasWaits ? ['WAITS FOR'] : []), ...(hasCost ? ['COST'] : [])];
  const cells = rows.map(({ run, branch }) => [
    branch + short(run.id),
    renderAge(context.now() - Date.parse(run.lastTime)),
    run.state,
    `${run.nodes.done}/${run.nodes.entered}`,
    ...(hasWaits ? [describeWaits(run)] : []),
    ...(hasCost ? [renderCost(run.own.usage)] : []),
    describeOrigin(run, short, hasWaits),
    describeName(run),
  ]);
  const [first = '', ...lines] = renderColumns([[...head, 'FORK OF', 'NAME'], ...cells], { width: columns });
  return [paint(context.stdout, 'dim', first), ...lines].map((line) => `${line}\n`).join('');
}

function describeWaits({ waits }: GraphRunListing): string {
  const named = [...waits.gates.map(({ node }) => node), ...waits.calls.map(({ node, tool }) => `${tool} of ${node}`)];
  const more = named.length > 2 ? `, and ${named.length - 2} more` : '';
  return escapeLine(truncateText(`${named.slice(0, 2).join(', ')}${more}`, 60));
}

function describeOrigin({ forkedFrom }: GraphRunListing, short: (id: RunId) => string, isWide: boolean): string {
  if (forkedFrom === undefined) return '';
  const { id, offset, fromNode, removed } = forkedFrom;
  const where = isWide ? ` (${escapeLine(fromNode)})` : '';
  return `fork of ${short(id)} at ${offset}${where}${removed ? ' (removed)' : ''}`;
}

/** In brackets what was not given to this very run. */
function describeName({ title, titleFrom, graphName }: GraphRunListing): string {
  if (titleFrom === 'own') return escapeLine(title);
  const name = titleFrom === 'inherited' ? title : graphName;
  return name === undefined ? '' : `(${escapeLine(name)})`;
}
