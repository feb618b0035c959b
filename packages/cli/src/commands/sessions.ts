import { realpathSync } from 'node:fs';
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { escapeLine, renderAge, renderBytes, renderColumns, renderCount } from '@ramet/core/text';
import { describeSession } from '@ramet/runtime/answers';
import { belongsTo, listSessions, type Place, type SessionSummary, shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { SessionsFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { describeState } from '../output/state.ts';
import { paint } from '../output/style.ts';
import { arrangeTree, type TreeRow } from '../output/tree.ts';
import { renderCost } from '../output/usage.ts';
import { openStore } from '../store.ts';

/** Lists sessions, the one that was active last first. */
export const sessions: Action<SessionsFlags, []> = async (context, flags) => {
  const store = openStore(context);
  const all = listSessions(store);
  const place = flags.project ? await findPlace(context, store) : null;
  if (isRefusal(place)) return place;
  const chosen = place === null ? all : all.filter((session) => belongsTo(store, session, place));
  const shown = flags.limit === undefined ? chosen : chosen.slice(0, flags.limit);
  const json = { sessions: shown.map(describeSession) };
  if (flags.json) return { json };
  if (shown.length === 0) return { json, notes: renderNone(all.length, flags.project === true) };
  const rows = flags.tree ? arrangeTree(shown) : shown.map((run) => ({ run, branch: '' }));
  const parents = shown.flatMap((session) => (session.forkedFrom === undefined ? [] : [session.forkedFrom.id]));
  return { json, text: renderTable(context, rows, shortenIds(store, parents)) };
};

/** Loaded only when asked for: most lists need no git. */
async function findPlace(context: CliContext, store: FileStore): Promise<Place | Refusal> {
  const { findProject } = await import('@ramet/runtime/workspace/project');
  const project = await findProject({ stateFolder: store.layout.home, cwd: context.cwd });
  if (isRefusal(project)) return project;
  return { project: project?.id ?? null, folder: realpathSync(context.cwd) };
}

const WIDE_COLUMNS = 100;
const NARROW_COLUMNS = 80;

function renderTable(
  context: CliContext,
  rows: readonly TreeRow<SessionSummary>[],
  short: (id: RunId) => string,
): string {
  const { columns } = context.stdout;
  // On a narrow terminal the title matters more than the size, and than both on a very narrow one.
  const hasSize = columns === undefined || columns >= WIDE_COLUMNS;
  const hasCost =
    (columns === undefined || columns >= NARROW_COLUMNS) && rows.some(({ run }) => renderCost(run.own.usage) !== '');
  const head = [
    'ID',
    'AGE',
    'STATE',
    'TURNS',
    ...(hasSize ? ['SIZE'] : []),
    ...(hasCost ? ['COST'] : []),
    'FORK OF',
    'TITLE',
  ];
  const cells = rows.map(({ run: session, branch }) => [
    branch + short(session.id),
    renderAge(context.now() - Date.parse(session.lastTime)),
    describeState(session),
    String(session.turns),
    ...(hasSize ? [renderBytes(session.bytes.own)] : []),
    ...(hasCost ? [renderCost(session.own.usage)] : []),
    renderOrigin(session, short),
    session.titleFrom === 'own' ? escapeLine(session.title) : `(${escapeLine(session.title)})`,
  ]);
  const [first = '', ...lines] = renderColumns([head, ...cells], { width: columns });
  return [paint(context.stdout, 'dim', first), ...lines].map((line) => `${line}\n`).join('');
}

function renderOrigin({ forkedFrom }: SessionSummary, short: (id: RunId) => string): string {
  if (forkedFrom === undefined) return '';
  const { id, offset, fromNode, removed } = forkedFrom;
  const what = fromNode === undefined ? 'fork of' : `session from node ${escapeLine(fromNode)} of run`;
  return `${what} ${short(id)} at ${offset}${removed ? ' (removed)' : ''}`;
}

function renderNone(others: number, isProject: boolean): string {
  if (isProject && others > 0)
    return `no session of the project in this folder (${renderCount(others, 'session')} of others)\n`;
  return 'no sessions yet; start one in a git repository: ramet run --model <model> "what to do"\n';
}
