import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly content: ReactNode;
}

/** Panels of which one is shown; arrows go from tab to tab. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <Base.Root defaultValue={tabs[0]?.name} className="flex min-h-0 flex-1 flex-col">
      <Base.List aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-line border-b px-2">
        {tabs.map(({ name, title }) => (
          <Base.Tab
            key={name}
            value={name}
            className="-mb-px border-transparent border-b-2 px-2 py-2 text-muted hover:text-ink focus-visible:-outline-offset-2 data-[active]:border-accent data-[active]:text-ink"
          >
            {title}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ name, content }) => (
        <Base.Panel key={name} value={name} className="min-h-0 flex-1 overflow-y-auto">
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
