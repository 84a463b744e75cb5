/** Parses a filter from the URL. Returns undefined for an invalid value. */
type Reader<T> = (text: string) => T | undefined;

export const text: Reader<string> = (given) => (given === '' ? undefined : given);

export const oneOf =
  <T extends string>(...allowed: readonly T[]): Reader<T> =>
  (given) =>
    allowed.find((each) => each === given);

export const pageNumber: Reader<number> = (given) =>
  /^[1-9]\d{0,6}$/.test(given) && given !== '1' ? Number(given) : undefined;

/** A date or an instant. */
export const moment: Reader<string> = (given) =>
  /^\d{4}-\d\d-\d\d/.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined;

/** A non-negative integer. */
export const number: Reader<number> = (given) => (/^\d{1,9}$/.test(given) ? Number(given) : undefined);

/** A non-negative amount in the service's notation. */
export const amount: Reader<string> = (given) => (/^\d{1,15}(?:\.\d{1,6})?$/.test(given) ? given : undefined);

/** A date such as `2026-03-04`. */
export const day: Reader<string> = (given) => (/^\d{4}-\d\d-\d\d$/.test(given) ? moment(given) : undefined);

/** Parameters that every list has. See `ListParams`. */
export const listParams = { page: pageNumber, size: oneOf('50', '100'), sort: text, columns: text } as const;

type Read<S> = { [K in keyof S]?: S[K] extends Reader<infer T> ? T : never };

/** Parses the given parameters. Ignores malformed values, so that no URL can break a page. */
export const searchParams =
  <S extends Readonly<Record<string, Reader<unknown>>>>(readers: S) =>
  (raw: Record<string, unknown>): Read<S> => {
    const found: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(readers)) {
      const given = raw[name];
      const value = typeof given === 'string' || typeof given === 'number' ? read(String(given)) : undefined;
      if (value !== undefined) found[name] = value;
    }
    return found as Read<S>;
  };

/** Plain query strings, such as `?status=PARKED&page=2`. A name with several values is repeated. */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const pairs = given.flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
  const written = new URLSearchParams(pairs).toString();
  return written === '' ? '' : `?${written}`;
}
