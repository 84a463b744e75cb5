import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, whole, type Shapes } from './client';

export type HistoryEvent = Shapes['StreamEventDto'];
export type RecordState = Shapes['StreamStateDto'];
export type RecordAddress = { readonly entity: string; readonly id: string; readonly tenantId: string };

/** Events per page. */
export const HISTORY_PAGE = 50;

type Page = { readonly pageNumber: number; readonly pageSize: number };

/** A record's events, newest first. */
export const eventsOf = ({ entity, id, tenantId }: RecordAddress, page: Page, signal: AbortSignal) =>
  whole(
    api.GET('/api/platform/streams/{entity}/{id}/events', {
      params: { path: { entity, id }, query: { tenantId, ...page } },
      signal,
    }),
  );

export const historyQuery = (address: RecordAddress, pageNumber: number) =>
  queryOptions({
    queryKey: ['history', address, pageNumber],
    queryFn: ({ signal }) => eventsOf(address, { pageNumber, pageSize: HISTORY_PAGE }, signal),
    placeholderData: keepPreviousData,
  });

/** Returns the page that contains the event with a given revision. Revisions have no gaps. */
export const pageOf = (revision: number, lastRevision: number): number =>
  Math.floor(Math.max(0, lastRevision - revision) / HISTORY_PAGE) + 1;

/** A record's state at the given revision or instant, or its current state if neither is given. */
export const stateQuery = ({ entity, id, tenantId }: RecordAddress, at: string | undefined) =>
  queryOptions({
    queryKey: ['state', entity, id, tenantId, at ?? 'now'],
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/platform/streams/{entity}/{id}/state', {
          params: { path: { entity, id }, query: { tenantId, ...(at !== undefined && { at }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
