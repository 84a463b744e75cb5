import { queryOptions } from '@tanstack/react-query';
import { t } from '../messages/catalogue';
import { api, data, type Shapes } from './client';

export type OwnSession = Shapes['SessionDto'];

/** The signed-in user's sessions. Just after the sign-in, the list may not contain the current session yet. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) => data(api.GET('/api/auth/sessions', { signal })),
  refetchInterval: ({ state }) => (state.data?.some(({ isCurrent }) => isCurrent) === false ? 1_000 : false),
});

export const endSession = (id: string) => data(api.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } }));

// The order matters, because most browsers' `User-Agent` strings also contain the names of similar browsers.
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Windows', 'Windows'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

type Names = readonly (readonly [mark: string, name: string])[];
const nameIn = (text: string, names: Names): string | undefined => names.find(([mark]) => text.includes(mark))?.[1];

/** Returns a device name, such as `Firefox on Linux`, or, for an unknown program, the start of its `User-Agent`. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null) return t('Unknown device');
  const browser = nameIn(userAgent, BROWSERS);
  const system = nameIn(userAgent, SYSTEMS);
  if (browser === undefined) return userAgent.slice(0, 60);
  return system === undefined ? browser : t('{browser} on {system}', { browser, system });
}
