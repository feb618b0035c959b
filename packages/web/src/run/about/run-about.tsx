/** What is known of a run as a whole. */

import { renderJson } from '@ramet/core/text';
import type { ReactNode } from 'react';
import type { RunFacts } from '../../data/run.ts';
import { KeepingPanel } from '../../keeping/keeping-panel.tsx';
import { UsagePanel } from '../../session/usage-panel.tsx';
import { BoundedText } from '../../ui/bounded-text.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { RunChanges } from './run-changes.tsx';
import { RunDescent } from './run-descent.tsx';

/** The tabs. */
export function RunAbout({ detail }: { readonly detail: RunFacts }) {
  const { id, title, workspace } = detail;
  return (
    <Tabs
      label="About this run"
      tabs={[
        { name: 'run', title: 'Run', content: <Facts detail={detail} /> },
        { name: 'forks', title: 'Forks', content: <RunDescent detail={detail} /> },
        { name: 'usage', title: 'Usage', content: <UsagePanel detail={detail} /> },
        {
          name: 'keep',
          title: 'Manage',
          content: <KeepingPanel id={id} title={title} isApplicable={workspace === 'git'} />,
        },
      ]}
    />
  );
}

function Facts({ detail }: { readonly detail: RunFacts }) {
  const { graph, steps, workspace, path, cwd, labels, error, input, output } = detail;
  const facts = [
    ['Document', graph.name ?? graph.hash.slice(0, 12)],
    ['Nodes entered', `${steps.own}${steps.all > steps.own ? `, and ${steps.all - steps.own} inherited` : ''}`],
    ['Files', workspace === 'none' ? 'none are kept' : workspace],
    ['Folder', path ?? cwd],
    ...Object.entries(labels),
  ] as const;
  return (
    <div className="space-y-4 p-3">
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
        {facts.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="told min-w-0">{text}</dd>
          </div>
        ))}
      </dl>
      {workspace === 'git' && <RunChanges id={detail.id} />}
      {error !== undefined && (
        <Part title="It failed">
          <BoundedText text={`${error.code.replaceAll('_', ' ')}: ${error.message}`} className="text-danger" />
        </Part>
      )}
      <Part title="Input">
        <BoundedText isMono text={renderJson(input ?? null, 2)} className="rounded bg-raised p-2" />
      </Part>
      {'output' in detail && (
        <Part title="Output">
          <BoundedText
            isMono
            text={typeof output === 'string' ? output : renderJson(output, 2)}
            className="rounded bg-raised p-2"
          />
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-1 font-medium text-xs">{title}</h2>
      {children}
    </section>
  );
}
