/** What is around every page: where one can go, and whether the daemon is there. */
import { Link, Outlet } from '@tanstack/react-router';
import { ChartColumn, GitFork, Inbox, Unplug } from 'lucide-react';
import { useChanges } from '../data/changes.ts';
import { useInbox } from '../data/inbox.ts';
import { ThemeSwitch } from './theme-switch.tsx';

const linkClass =
  'flex items-center gap-1.5 rounded px-2 py-1.5 text-muted hover:bg-raised hover:text-ink [&.active]:bg-raised [&.active]:text-ink';

/** The frame of the interface. */
export function Shell() {
  const isThere = useChanges();
  return (
    <div className="flex h-full flex-col">
      <a className="sr-only focus:not-sr-only focus:p-2" href="#content">
        Skip to the content
      </a>
      <header className="flex items-center gap-1 border-line border-b bg-surface px-3 py-1.5">
        <nav aria-label="Pages" className="flex min-w-0 flex-1 items-center gap-1">
          <Link to="/" activeOptions={{ exact: true }} className={linkClass}>
            <GitFork aria-hidden size={16} />
            <span className="font-semibold">Ramet</span>
          </Link>
          <InboxLink />
          <Link to="/usage" className={linkClass}>
            <ChartColumn aria-hidden size={16} />
            <span className="max-sm:sr-only">Usage</span>
          </Link>
        </nav>
        <ThemeSwitch />
      </header>
      {!isThere && <Away />}
      <main id="content" className="min-h-0 flex-1">
        <Outlet />
      </main>
    </div>
  );
}

function Away() {
  return (
    <p role="status" className="flex items-center gap-2 border-line border-b bg-warn-soft px-3 py-1.5 text-warn">
      <Unplug aria-hidden size={15} className="shrink-0" />
      The daemon does not answer. What is shown is as it was last told; it goes on by itself when the daemon is back.
    </p>
  );
}

function InboxLink() {
  const { data } = useInbox();
  const count = data?.items.length ?? 0;
  return (
    <Link to="/inbox" className={linkClass}>
      <Inbox aria-hidden size={16} />
      <span className="max-sm:sr-only">Inbox</span>
      {count > 0 && (
        <span className="rounded-full bg-warn-soft px-1.5 text-warn text-xs">
          {count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  );
}
