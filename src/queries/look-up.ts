import type { Type } from '@nestjs/common';
import type { IQueryHandler, Query } from '@nestjs/cqrs';
import { answers, query } from '../eventsourcing/handler.js';
import { ReadModels } from './query.js';
import type { ReadModel, Scalar, Scope } from '../ports/read-store.js';
import { words } from '../ports/search.js';

/** Maximum number of matches to rank. If there are more, only the newest are ranked. */
const CANDIDATES = 100;
const SHOWN = 20;

/** A record as returned by lookups. */
export type InBrief = { readonly id: string; readonly name: string; readonly code: string | null };
export const inBrief = ({ id, name, code }: InBrief): InBrief => ({ id, name, code });

type LookUp<Doc extends object> = {
  readonly model: ReadModel<Doc>;
  readonly where: Readonly<Record<string, Scalar>>;
  readonly briefOf: (document: Doc) => InBrief;
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
    const { model, where, briefOf } = lookUp.lookUp;
    const found = await models.first(model, scope, CANDIDATES, { where, search });
    return bestMatches(found.map(briefOf), search);
  });

/**
 * Ranks matches: same code; same name; names that begin with all searched words; names that begin with the searched
 * text; all others. Matches of equal rank keep their order.
 */
function bestMatches(found: readonly InBrief[], search: string | undefined): InBrief[] {
  const wanted = words(search ?? '').join(' ');
  if (wanted === '') return found.slice(0, SHOWN);
  const ranked = found.map((record) => ({ record, rank: rankOf(record, wanted) }));
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN)
    .map(({ record }) => record);
}

function rankOf({ name, code }: InBrief, wanted: string): number {
  if (code !== null && words(code).join(' ') === wanted) return 0;
  const own = words(name).join(' ');
  if (own === wanted) return 1;
  if (own.startsWith(`${wanted} `)) return 2;
  return own.startsWith(wanted) ? 3 : 4;
}
