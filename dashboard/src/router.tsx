import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { hasSession } from './api/session';
import { pick, placeOf, search } from './search';
import { Broken, Lost, Waiting } from './shell/States';
import { Visitor } from './shell/Visitor';

// Every screen is loaded when it is first opened. Those below `visitor` need nobody to be signed in, those below `app` do.
const root = createRootRoute({ notFoundComponent: Lost });

const visitor = createRoute({ getParentRoute: () => root, id: 'visitor', component: Visitor });

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: lazyRouteComponent(() => import('./shell/Shell'), 'Shell'),
  beforeLoad: async ({ location }) => {
    if (!(await hasSession())) throw redirect({ to: '/sign-in', search: { to: location.href } });
  },
});

// Whoever is signed in already, maybe since a moment ago in another tab, is led to where they wanted to go.
async function leadIn(to: string): Promise<void> {
  if (await hasSession().catch(() => false)) throw redirect(placeOf(to));
}

const signInSearch = pick('to', 'error');

const visitorScreens = [
  createRoute({
    getParentRoute: () => visitor,
    path: '/sign-in',
    validateSearch: signInSearch,
    beforeLoad: ({ location }) => leadIn(new URLSearchParams(location.searchStr).get('to') ?? '/'),
    component: lazyRouteComponent(() => import('./features/signin/SignIn'), 'SignIn'),
  }),
  createRoute({
    getParentRoute: () => visitor,
    path: '/sign-up',
    beforeLoad: () => leadIn('/'),
    component: lazyRouteComponent(() => import('./features/signin/SignUp'), 'SignUp'),
  }),
  createRoute({
    getParentRoute: () => visitor,
    path: '/forgotten',
    component: lazyRouteComponent(() => import('./features/signin/Forgotten'), 'Forgotten'),
  }),
  createRoute({
    getParentRoute: () => visitor,
    path: '/reset',
    component: lazyRouteComponent(() => import('./features/signin/Reset'), 'Reset'),
  }),
  createRoute({
    getParentRoute: () => visitor,
    path: '/verify',
    component: lazyRouteComponent(() => import('./features/signin/Addresses'), 'Verify'),
  }),
  createRoute({
    getParentRoute: () => visitor,
    path: '/email',
    component: lazyRouteComponent(() => import('./features/signin/Addresses'), 'NewAddress'),
  }),
  createRoute({
    getParentRoute: () => visitor,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./features/signin/Invitation'), 'Invitation'),
  }),
] as const;

const endpoint = createRoute({
  getParentRoute: () => app,
  path: '/endpoints/$endpoint',
  component: lazyRouteComponent(() => import('./features/endpoints/EndpointFrame'), 'EndpointFrame'),
});

const endpointScreens = [
  createRoute({
    getParentRoute: () => endpoint,
    path: '/',
    component: lazyRouteComponent(() => import('./features/endpoints/Snippets'), 'Snippets'),
  }),
  createRoute({
    getParentRoute: () => endpoint,
    path: '/fields',
    component: lazyRouteComponent(() => import('./features/endpoints/SchemaEditor'), 'SchemaEditor'),
  }),
  createRoute({
    getParentRoute: () => endpoint,
    path: '/try',
    component: lazyRouteComponent(() => import('./features/try/TryEndpoint'), 'TryEndpoint'),
  }),
  createRoute({
    getParentRoute: () => endpoint,
    path: '/settings',
    component: lazyRouteComponent(() => import('./features/endpoints/Settings'), 'Settings'),
  }),
] as const;

const appScreens = [
  createRoute({
    getParentRoute: () => app,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/inbox' });
    },
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/inbox',
    validateSearch: pick('endpoint', 'q', 'status', 'tag', 'starred', 'read', 'cursor', 'open'),
    component: lazyRouteComponent(() => import('./features/inbox/Inbox'), 'Inbox'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/endpoints',
    component: lazyRouteComponent(() => import('./features/endpoints/EndpointList'), 'EndpointList'),
  }),
  endpoint.addChildren(endpointScreens),
  createRoute({
    getParentRoute: () => app,
    path: '/members',
    validateSearch: pick('cursor'),
    component: lazyRouteComponent(() => import('./features/members/Members'), 'Members'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/api-keys',
    validateSearch: pick('cursor'),
    component: lazyRouteComponent(() => import('./features/keys/Keys'), 'Keys'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/audit-log',
    validateSearch: pick('actor', 'action', 'target', 'since', 'until', 'cursor'),
    component: lazyRouteComponent(() => import('./features/audit/AuditLog'), 'AuditLog'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/tenant',
    component: lazyRouteComponent(() => import('./features/tenant/Tenant'), 'Tenant'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/account',
    component: lazyRouteComponent(() => import('./features/account/Account'), 'Account'),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([visitor.addChildren(visitorScreens), app.addChildren(appScreens)]),
  basepath: '/dashboard',
  parseSearch: search.parse,
  stringifySearch: search.write,
  defaultPreload: 'intent',
  defaultPendingComponent: Waiting,
  defaultErrorComponent: Broken,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
