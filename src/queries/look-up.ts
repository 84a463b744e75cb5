import type { Type } from '@nestjs/common';
import type { IQueryHandler, Query } from '@nestjs/cqrs';
import { answers, query } from '../eventsourcing/handler.js';
import { ReadModels } from './query.js';
import type { ReadModel, Scalar, Scope } from '../ports/read-store.js';
import { fold, words } from '../ports/search.js';
import { accounts, type AccountView } from '../projections/account.projection.js';

/** Number of newest matches to rank. A tenant has few branches and users, so practically all of them are ranked. */
const CANDIDATES = 100;
const FEW_CANDIDATES = 1_000;
const SHOWN = 20;

/** A record as returned by lookups. */
export type InBrief = { readonly id: string; readonly name: string; readonly code: string | null };
export const inBrief = ({ id, name, code }: InBrief): InBrief => ({ id, name, code });

type LookUp<Doc extends object> = {
  readonly model: ReadModel<Doc>;
  readonly where: Readonly<Record<string, Scalar>>;
  readonly briefOf: (document: Doc) => InBrief;
  /**
   * Selects the accounts that represent the records of this lookup. Accounts can also be read by name and by code, so
   * the lookup finds the record with the searched code or name even if it is not among the newest matches.
   */
  readonly isAmong?: (account: AccountView) => boolean;
};

/** `class LookUpBranches extends lookUpFrom({ model: branches, where: { isActive: true }, briefOf: inBrief }) {}` */
export const lookUpFrom = <Doc extends object>(lookUp: LookUp<Doc>) =>
  class extends query<readonly InBrief[], [scope: Scope, search: string | undefined]>() {
    static readonly lookUp = lookUp;
  };

/** Creates the handler for a lookup. */
export const looksUpFrom = <Doc extends object>(
  lookUp: Type<Query<readonly InBrief[]> & { args: readonly [scope: Scope, search: string | undefined] }> & {
    readonly lookUp: LookUp<Doc>;
  },
): Type<IQueryHandler> =>
  answers(lookUp, [ReadModels], async (models, scope, search) => {
    const { model, where, briefOf, isAmong } = lookUp.lookUp;
    const wanted = words(search ?? '').join(' ');
    const limit = wanted === '' ? SHOWN : isAmong ? CANDIDATES : FEW_CANDIDATES;
    const newest = (await models.first(model, scope, limit, { where, search })).map(briefOf);
    if (wanted === '') return newest;
    if (newest.length < limit || !isAmong) return bestMatches(newest, wanted);
    const named = (await namedAccounts(models, scope, search ?? '')).filter(isAmong).map(inBrief);
    const further = named.filter((record) => rankOf(record, wanted) < OTHER);
    return bestMatches([...new Map([...newest, ...further].map((each) => [each.id, each])).values()], wanted);
  });

/**
 * Returns the accounts with this code, and the first accounts in name order, starting at this name. The read operations
 * have no filters. With filters, the embedded read store would read the sets of all matches after each change.
 */
async function namedAccounts(models: ReadModels, scope: Scope, search: string): Promise<AccountView[]> {
  const text = fold(search.trim());
  const hasCode = { from: false, to: false };
  const part = { limit: CANDIDATES, after: '' };
  const parts = await Promise.all([
    models.part(accounts, scope, {
      ...part,
      sort: 'code',
      between: { hasNoCode: hasCode, foldedCode: { from: text, to: text } },
    }),
    models.part(accounts, scope, { ...part, sort: 'name', between: { foldedName: { from: text } } }),
  ]);
  return parts.flatMap(({ documents }) => documents);
}

/**
 * Ranks matches: same code; same name; names that begin with all searched words; names that begin with the searched
 * text; all others. Matches of equal rank keep their order.
 */
function bestMatches(found: readonly InBrief[], wanted: string): InBrief[] {
  const ranked = found.map((record) => ({ record, rank: rankOf(record, wanted) }));
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN)
    .map(({ record }) => record);
}

const OTHER = 4;

function rankOf({ name, code }: InBrief, wanted: string): number {
  if (code !== null && words(code).join(' ') === wanted) return 0;
  const own = words(name).join(' ');
  if (own === wanted) return 1;
  if (own.startsWith(`${wanted} `)) return 2;
  return own.startsWith(wanted) ? 3 : OTHER;
}
