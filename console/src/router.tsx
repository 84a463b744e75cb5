import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { day, listParams, oneOf, parseSearch, searchParams, stringifySearch, text } from './parts/search-params';
import { HomePage } from './pages/home.page';
import { FailedPage } from './pages/missing.page';
import { SignInPage } from './pages/sign-in.page';
import { platformRoutes } from './routes/platform.routes';
import { root, signedIn } from './routes/signed-in.route';
import { tenantRoutes } from './routes/tenant.routes';

/** Maximum time to wait for the browser to paint, in milliseconds. */
const UNPAINTED_MS = 50;

// One route per page, with its path, its search parameters, and the chunk that contains its code.
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  validateSearch: searchParams({ to: text, ended: oneOf('yes') }),
});

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: searchParams({ period: oneOf('day') }),
  component: HomePage,
});
const jobs = createRoute({
  getParentRoute: () => signedIn,
  path: '/jobs',
  validateSearch: searchParams({ ...listParams, search: text }),
  component: lazyRouteComponent(() => import('./pages/jobs.page'), 'JobsPage'),
});
const job = createRoute({
  getParentRoute: () => signedIn,
  path: '/jobs/$name',
  validateSearch: searchParams({ run: text }),
  component: lazyRouteComponent(() => import('./pages/job.page'), 'JobPage'),
});
const deadLetters = createRoute({
  getParentRoute: () => signedIn,
  path: '/dead-letters',
  validateSearch: searchParams({
    ...listParams,
    search: text,
    status: oneOf('PARKED', 'REPLAYED', 'DISCARDED'),
    origin: oneOf('PUBLISH', 'SALE', 'PUSH', 'POLICY', 'PROJECTION', 'WEBHOOK'),
    tenantId: text,
    eventType: text,
    code: text,
    dateFrom: day,
    dateTo: day,
  }),
  component: lazyRouteComponent(() => import('./pages/dead-letters.page'), 'DeadLettersPage'),
});
const deadLetter = createRoute({
  getParentRoute: () => signedIn,
  path: '/dead-letters/$id',
  component: lazyRouteComponent(() => import('./pages/dead-letter.page'), 'DeadLetterPage'),
});
const projections = createRoute({
  getParentRoute: () => signedIn,
  path: '/projections',
  validateSearch: searchParams({ ...listParams, search: text }),
  component: lazyRouteComponent(() => import('./pages/projections.page'), 'ProjectionsPage'),
});
const queues = createRoute({
  getParentRoute: () => signedIn,
  path: '/queues',
  validateSearch: searchParams({ search: text }),
  component: lazyRouteComponent(() => import('./pages/queues.page'), 'QueuesPage'),
});

const routeTree = root.addChildren([
  signIn,
  signedIn.addChildren([
    overview,
    jobs,
    job,
    deadLetters,
    deadLetter,
    projections,
    queues,
    ...platformRoutes,
    ...tenantRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  parseSearch,
  stringifySearch,
  // Removes parameters that the page does not know, or whose values are malformed, before the page requests its data.
  search: { strict: true },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: FailedPage,
  scrollRestoration: true,
});

/** Resolves once the browser has painted. The wait has a limit, because a hidden tab does not paint. */
const painted = (): Promise<void> =>
  new Promise((resolve) => {
    const limit = window.setTimeout(resolve, UNPAINTED_MS);
    requestAnimationFrame(() => {
      window.clearTimeout(limit);
      window.setTimeout(resolve);
    });
  });

// On slow computers, rendering another page takes a long time. The browser therefore first paints the effect of the
// click, such as the pressed link or the closed menu. Filter changes replace the URL, and are not delayed.
const { navigate } = router;
router.navigate = async (options) => {
  if (options.replace !== true) await painted();
  return navigate(options);
};

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
