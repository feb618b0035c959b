import type { SessionDetail } from '@ramet/client';
import { KeepingPanel } from '../keeping/keeping-panel.tsx';
import { Tabs } from '../ui/tabs.tsx';
import type { DiffRange } from '../workspace/diff-dialog.tsx';
import { FilesPanel } from './files-panel.tsx';
import { LineagePanel } from './lineage-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';

export interface SideRailProps {
  readonly detail: SessionDetail;
  readonly onChanges: (range: DiffRange) => void;
}

/** Everything about a session beside its conversation. */
export function SideRail({ detail, onChanges }: SideRailProps) {
  const { id, title, workspace } = detail;
  return (
    <Tabs
      label="About this session"
      tabs={[
        { name: 'forks', title: 'Forks', content: <LineagePanel detail={detail} /> },
        { name: 'files', title: 'Files', content: <FilesPanel detail={detail} onChanges={onChanges} /> },
        { name: 'usage', title: 'Usage', content: <UsagePanel detail={detail} /> },
        {
          name: 'keep',
          title: 'Manage',
          content: <KeepingPanel id={id} title={title} isApplicable={workspace.kind === 'git'} />,
        },
      ]}
    />
  );
}
