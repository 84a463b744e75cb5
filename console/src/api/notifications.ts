import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, whole, type Shapes } from './client';

export type Notification = Shapes['NotificationDto'];

const EVERY_MS = 20_000;

export const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'],
  queryFn: async ({ signal }) => (await data(api.GET('/api/notifications/unread-count', { signal }))).count,
  refetchInterval: EVERY_MS,
});

export const notificationsQuery = (query: { pageNumber: number; pageSize: number; isRead?: boolean }) =>
  queryOptions({
    queryKey: ['notifications', query],
    queryFn: ({ signal }) => whole(api.GET('/api/notifications', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const readOne = (id: string) => data(api.PATCH('/api/notifications/{id}/read', { params: { path: { id } } }));

export const readAll = () => data(api.PATCH('/api/notifications/read-all'));

const PAGES = '/console';

/**
 * Permitted target of a notification link: a page of this console, another page of the service, or an external HTTPS
 * URL.
 */
type SafeLink = { readonly to: string; readonly isOwn: boolean; readonly host: string | undefined };

/**
 * Returns the target of a notification's link if it is safe to follow. Never returns a script, a file, or an
 * unencrypted external URL.
 */
export function safeLink(link: string | null): SafeLink | undefined {
  if (link === null || !URL.canParse(link, location.origin)) return undefined;
  const url = new URL(link, location.origin);
  const isOwn = url.origin === location.origin;
  if (!isOwn && url.protocol !== 'https:') return undefined;
  // The router expects a URL without an origin. `//host` is a different origin, which is handled below.
  if (isOwn) return { to: url.pathname + url.search + url.hash, isOwn: true, host: undefined };
  return { to: url.href, isOwn: false, host: url.host };
}

/** Returns whether a path on the service leads to a console page. */
export const isPage = (to: string): boolean => to === PAGES || to.startsWith(`${PAGES}/`);
