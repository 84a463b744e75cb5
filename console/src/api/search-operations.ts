import { latestEntries, type AuditEntry } from './audit';
import { api, whole } from './client';
import { titleOf } from './error-title';
import { jobsQuery } from './jobs';
import { queuesQuery } from './observation';
import { projectionsQuery } from './projections';
import { NAMES_MS, queryClient } from './queries';
import { cached, isId, isMatch, loaded, searched, type Found, type Kind } from './search-kind';
import { entityWords } from '../parts/audit-words';
import { jobWords } from '../parts/job-words';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

/** Number of audit log entries in which users and records are searched. */
const ENTRIES = 20;
const SHORTEST = 3;

/** Returns links to the record with the searched id, and to the actions of the users with the searched name or id. */
function namedIn(entries: readonly AuditEntry[], search: string): readonly Found[] {
  const id = search.toLowerCase();
  const found = new Map<string, Found>();
  for (const { entity, entityId, tenantId, userId, userName } of entries) {
    if (entityId === id)
      found.set(entityId, {
        name: `${entityWords(entity)} ${entityId}`,
        link: { to: '/records/$entity/$id', params: { entity, id }, search: { tenantId } },
      });
    if (userId !== null && userName !== null && (userId === id || isMatch(userName, search)))
      found.set(`by ${userId}`, {
        name: t('Entries of {name}', { name: userName }),
        link: { to: '/audit', search: { userId } },
      });
  }
  return [...found.values()];
}

/**
 * Requests the tenant with an id, but only if the audit log contains it: browsers report a response with the status 404
 * as an error.
 */
async function tenantWith(id: string, signal: AbortSignal) {
  const { totalCount } = await latestEntries(1, { entity: 'tenant', entityId: id }, signal);
  return totalCount === 0 ? undefined : api.GET('/api/platform/tenants/{id}', { params: { path: { id } }, signal });
}

/** What operators can find, in the order in which it is shown. */
export const OPERATIONS: readonly Kind[] = [
  searched({
    page: '/tenants',
    ask: (query, signal) => whole(api.GET('/api/platform/tenants', { params: { query }, signal })),
    one: tenantWith,
    foundOf: ({ id, name }) => ({ name, link: { to: '/tenants/$id', params: { id } } }),
  }),
  loaded({
    page: '/jobs',
    load: () => queryClient.query({ ...jobsQuery, staleTime: NAMES_MS }),
    textOf: (job) => `${job.name} ${jobWords(job)}`,
    foundOf: ({ name }) => ({ name, link: { to: '/jobs/$name', params: { name } } }),
  }),
  searched({
    page: '/dead-letters',
    ask: (query, signal) => whole(api.GET('/api/platform/dead-letters', { params: { query }, signal })),
    foundOf: ({ id, eventType, reason }) => ({
      name: `${eventType}, ${reason.code}`,
      link: { to: '/dead-letters/$id', params: { id } },
    }),
  }),
  searched({
    page: '/errors',
    ask: (query, signal) => whole(api.GET('/api/platform/error-logs', { params: { query }, signal })),
    foundOf: ({ id, message }) => ({
      name: serviceWords(titleOf(message)),
      link: { to: '/errors/$id', params: { id } },
    }),
  }),
  cached({
    page: '/operators',
    key: 'operators',
    ask: (query, signal) => whole(api.GET('/api/platform/operators', { params: { query }, signal })),
    textOf: ({ fullName, email }) => `${fullName} ${email}`,
    foundOf: ({ fullName, email }) => ({
      name: `${fullName} · ${email}`,
      link: { to: '/operators', search: { search: email } },
    }),
  }),
  loaded({
    page: '/projections',
    load: () => queryClient.query({ ...projectionsQuery, staleTime: NAMES_MS }),
    textOf: ({ name }) => name,
    foundOf: ({ name }) => ({ name, link: { to: '/projections', search: { search: name } } }),
  }),
  loaded({
    page: '/queues',
    load: async () => (await queryClient.query({ ...queuesQuery, staleTime: NAMES_MS })).queues,
    textOf: ({ name }) => name,
    foundOf: ({ name }) => ({ name, link: { to: '/queues', search: { search: name } } }),
  }),
  {
    page: '/audit',
    find: async (search, signal) => {
      if (search.length < SHORTEST) return [];
      const { items, totalCount } = await latestEntries(ENTRIES, { search }, signal);
      const name = t('Entries that contain {search}', { search });
      return totalCount === 0 ? [] : [...namedIn(items, search), { name, link: { to: '/audit', search: { search } } }];
    },
  },
  {
    page: '/events',
    // The service records each search for events in the audit log. The events are therefore not searched here.
    find: (search) =>
      Promise.resolve(
        isId(search)
          ? [
              {
                name: t('Events caused by request {search}', { search }),
                link: { to: '/events', search: { correlationId: search } },
              },
            ]
          : [],
      ),
  },
];
