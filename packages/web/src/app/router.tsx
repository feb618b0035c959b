/** The pages. Each is loaded when it is first shown. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { MissingPage } from './missing-page.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: MissingPage });

const list = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: ({ search, project }: Record<string, unknown>): { search?: string; project?: string } => ({
    ...(typeof search === 'string' && search !== '' ? { search } : {}),
    ...(typeof project === 'string' && project !== '' ? { project } : {}),
  }),
  component: lazyRouteComponent(() => import('../list/list-page.tsx'), 'ListPage'),
});

const session = createRoute({
  getParentRoute: () => root,
  path: '/s/$id',
  component: lazyRouteComponent(() => import('../session/session-page.tsx'), 'SessionPage'),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/r/$id',
  component: lazyRouteComponent(() => import('../run/run-page.tsx'), 'RunPage'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare/$left/$right',
  component: lazyRouteComponent(() => import('../compare/compare-page.tsx'), 'ComparePage'),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  component: lazyRouteComponent(() => import('../inbox/inbox-page.tsx'), 'InboxPage'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  component: lazyRouteComponent(() => import('../usage/usage-page.tsx'), 'UsagePage'),
});

export const router = createRouter({ routeTree: root.addChildren([list, session, run, compare, inbox, usage]) });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
