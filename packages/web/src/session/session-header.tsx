import type { SessionDetail } from '@ramet/client';
import { escapeLine } from '@ramet/core/text';
import { GitFork, PanelRight } from 'lucide-react';
import { useCapabilities } from '../data/capabilities.ts';
import { renderName } from '../data/names.ts';
import { useShortIds } from '../data/short-ids.ts';
import type { LogView } from '../log/run-log.ts';
import { Badge, StateBadge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { renderCost } from '../ui/usage.ts';

export interface SessionHeaderProps {
  readonly detail: SessionDetail;
  readonly connection: LogView['connection'];
  /** Null: no turn has ended yet. */
  readonly onFork: (() => void) | null;
  readonly onRail: () => void;
}

/** The name of a session, how it is, and what can be done with it. */
export function SessionHeader({ detail, connection, onFork, onRail }: SessionHeaderProps) {
  const { id, title, state, forkedFrom, own, workspace } = detail;
  const folder = useFolder(detail);
  const shortId = useShortIds();
  return (
    <header className="flex shrink-0 items-center gap-2 border-line border-b bg-surface px-3 py-1.5">
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <h1 className="truncate font-semibold" title={escapeLine(title)}>
            {renderName(title)}
          </h1>
          <StateBadge state={state} />
          {connection === 'offline' && (
            <span role="status">
              <Badge tone="warn">offline, trying again</Badge>
            </span>
          )}
        </div>
        <p className="truncate text-muted text-xs">
          <span className="font-mono">{shortId(id)}</span>
          {forkedFrom !== undefined && (
            <>
              {' · fork of '}
              <span className="font-mono">{shortId(forkedFrom.id)}</span> at {forkedFrom.offset}
            </>
          )}
          {' · '}
          {renderCost(own.usage)} · {workspace.kind}
          {folder !== null && ` · ${escapeLine(folder)}`}
        </p>
      </div>
      <Button disabled={onFork === null} onClick={() => onFork?.()}>
        <GitFork aria-hidden size={14} /> Fork
      </Button>
      <IconButton label="About this session" className="lg:hidden" onClick={onRail}>
        <PanelRight aria-hidden size={16} />
      </IconButton>
    </header>
  );
}

/** Where a person finds its project. */
function useFolder({ project, workspace }: SessionDetail): string | null {
  const { data } = useCapabilities();
  const path = data?.projects.find(({ id }) => id === project)?.path;
  return path ?? (workspace.kind === 'directory' ? (workspace.path ?? null) : null);
}
