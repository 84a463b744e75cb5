import { queryOptions } from '@tanstack/react-query';
import { t } from '../messages/catalogue';
import { api, data, type Shapes } from './client';

export type OwnSession = Shapes['SessionDto'];

/** Sessions of the signed-in user. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) => data(api.GET('/api/auth/sessions', { signal })),
});

export const endSession = (id: string) => data(api.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } }));

// The order matters, because the `User-Agent` of most browsers also contains the names of browsers that they resemble.
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

/** Name of a device, such as `Firefox on Linux`. For an unknown program, the start of its `User-Agent`. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null) return t('Unknown device');
  const browser = nameIn(userAgent, BROWSERS);
  const system = nameIn(userAgent, SYSTEMS);
  if (browser === undefined) return userAgent.slice(0, 60);
  return system === undefined ? browser : t('{browser} on {system}', { browser, system });
}
