import type { NavigateOptions } from '@tanstack/react-router';
import { data } from './client';
import { NAMES_MS, queryClient } from './queries';
import { isUuid } from './uuid';

/** A page or a record found by a search. */
export type Found = { readonly name: string; readonly link: Pick<NavigateOptions, 'to' | 'params' | 'search'> };

/** Results of one kind. */
export type Group = { readonly label: string; readonly found: readonly Found[] };

/** A page that the user may visit. */
export type OpenPage = { readonly to: NonNullable<Found['link']['to']>; readonly label: string };

/** A kind of record that Ctrl-K finds. */
export type Kind = {
  /** Page for these records. Only users who may visit this page can find them. */
  readonly page: string;
  readonly find: (search: string, signal: AbortSignal) => Promise<readonly Found[]>;
};

type Request = { readonly pageNumber: number; readonly pageSize: number; readonly search?: string };
type Listed<T> = { readonly items: readonly T[]; readonly totalCount: number };
type Ask<T> = (query: Request, signal: AbortSignal) => Promise<Listed<T>>;
type WithId = { readonly id: string };
type One<T> = { readonly data?: { readonly data: T }; readonly error?: unknown; readonly response: Response };

const MOST = 5;
const FEW = { pageNumber: 1, pageSize: MOST } as const;
export const ALL = { pageNumber: 1, pageSize: 100 } as const;

/** Matches text that may be an id of a record or a request. Such ids contain digits and no spaces. */
const ID = /^(?=.*\d)[\w.:-]{8,128}$/;
export const isId = (search: string): boolean => ID.test(search);

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns whether a text contains all searched words. Every text matches if nothing is searched. */
export function isMatch(text: string, search = ''): boolean {
  const within = folded(text);
  return folded(search)
    .split(/\s+/)
    .every((word) => within.includes(word));
}

/** Returns the first rows that contain the searched words or have the searched id. */
const among = <T>(rows: readonly T[], search: string, textOf: (row: T) => string, idOf?: (row: T) => string) =>
  rows.filter((row) => idOf?.(row) === search.toLowerCase() || isMatch(textOf(row), search)).slice(0, MOST);

type Searched<T> = {
  readonly page: string;
  readonly ask: Ask<T>;
  /** Requests the record with an id. Resolves to undefined if it is known that no such record exists. */
  readonly one?: (id: string, signal: AbortSignal) => Promise<One<T> | undefined>;
  readonly foundOf: (row: T) => Found;
};

/** Records that the service searches. */
export const searched = <T>({ page, ask, one, foundOf }: Searched<T>): Kind => ({
  page,
  find: async (search, signal) => {
    const id = search.toLowerCase();
    const [{ items }, answer] = await Promise.all([
      ask({ ...FEW, search }, signal),
      isUuid(id) ? one?.(id, signal) : undefined,
    ]);
    const named = answer === undefined || answer.response.status === 404 ? [] : [await data(Promise.resolve(answer))];
    return [...named, ...items].map(foundOf);
  },
});

type Cached<T> = Searched<T> & {
  /** Query key with which pages and choosers load these records. */
  readonly key: string;
  readonly filters?: object;
  readonly textOf: (row: T) => string;
};

/** Records of which a tenant usually has few. They are loaded once. The service searches only longer lists. */
export const cached = <T extends WithId>({ page, key, filters, ask, textOf, foundOf }: Cached<T>): Kind => ({
  page,
  find: async (search, signal) => {
    const { items, totalCount } = await queryClient.query({
      queryKey: [key, { ...ALL, ...filters }],
      queryFn: (context) => ask(ALL, context.signal),
      staleTime: NAMES_MS,
    });
    const isWhole = items.length === totalCount;
    return (isWhole ? among(items, search, textOf, ({ id }) => id) : (await ask({ ...FEW, search }, signal)).items).map(
      foundOf,
    );
  },
});

type Loaded<T> = Pick<Cached<T>, 'page' | 'textOf' | 'foundOf'> & { readonly load: () => Promise<readonly T[]> };

/** Records that are loaded together. */
export const loaded = <T>({ page, load, textOf, foundOf }: Loaded<T>): Kind => ({
  page,
  find: async (search) => among(await load(), search, textOf).map(foundOf),
});
