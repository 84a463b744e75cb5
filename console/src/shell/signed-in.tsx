import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { meQuery } from '../api/me';
import { renew, useSession } from '../api/session';
import { ProblemView } from '../parts/problem-view';
import { Shell } from './shell';
import { t } from '../messages/catalogue';

/** Checks once whether this browser has a session. Returns the error if the check failed. */
function useSessionCheck(): { error: unknown; retry: () => void } {
  const session = useSession();
  const [error, setError] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (session.is !== 'unknown') return;
    renew().catch((cause: unknown) => {
      setError(cause);
    });
  }, [session.is, tries]);
  const retry = (): void => {
    setError(null);
    setTries((before) => before + 1);
  };
  return { error, retry };
}

/**
 * Guards pages that require a session. Redirects users to the sign-in page, which returns them to the requested page.
 */
export function SignedIn(): ReactNode {
  const session = useSession();
  const { error, retry } = useSessionCheck();
  if (session.is === 'in') return <WithMe />;
  if (session.is === 'unknown')
    return error === null ? (
      <Waiting />
    ) : (
      <main className="k-center">
        <ProblemView error={error} onRetry={retry} />
      </main>
    );
  return <ToSignIn hasEnded={session.is === 'ended'} />;
}

/** Redirects to the sign-in page only once, because the URL to return to must not change afterwards. */
function ToSignIn({ hasEnded }: { hasEnded: boolean }): ReactNode {
  const router = useRouter();
  useEffect(() => {
    const { href, pathname } = router.state.location;
    if (pathname === '/sign-in') return;
    const search = { ...(href !== '/' && { to: href }), ...(hasEnded && { ended: 'yes' as const }) };
    void router.navigate({ to: '/sign-in', search, replace: true });
  }, [router, hasEnded]);
  return <Waiting />;
}

/** Delay of the preloading, in milliseconds, so that the requests of the first page are sent first. */
const FIRST_PAGE_MS = 1_500;

/**
 * Preloads the code of the search and of all other pages, so that they open even if the service or the network is
 * unavailable.
 */
function useAllPages(): void {
  const router = useRouter();
  useEffect(() => {
    const timer = window.setTimeout(() => {
      for (const page of Object.values(router.routesById)) void router.loadRouteChunk(page);
      void import('../api/search-all').catch(() => undefined);
    }, FIRST_PAGE_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [router]);
}

function WithMe(): ReactNode {
  useAllPages();
  const { data: me, error, refetch } = useQuery(meQuery);
  if (me !== undefined)
    return (
      <Shell me={me}>
        <Outlet />
      </Shell>
    );
  if (error === null) return <Waiting />;
  return (
    <main className="k-center">
      <ProblemView error={error} onRetry={refetch} />
    </main>
  );
}

const Waiting = (): ReactNode => (
  <Center h="100vh">
    <Loader aria-label={t('Loading')} role="status" />
  </Center>
);
