import { Inject, type Type } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadModels } from '../platform/query.js';
import type { ReadModel, Scalar, Scope } from '../ports/read-store.js';
import { words } from '../ports/search.js';

/** How many of the records found are compared: the newest of them, where there are more. */
const CANDIDATES = 100;
const SHOWN = 20;

/** A record as look-ups show it. */
export type InBrief = { readonly id: string; readonly name: string; readonly code: string | null };
export const inBrief = ({ id, name, code }: InBrief): InBrief => ({ id, name, code });

type LookUp<Doc extends object> = {
  readonly model: ReadModel<Doc>;
  readonly where: Readonly<Record<string, Scalar>>;
  readonly briefOf: (document: Doc) => InBrief;
};

/** `class LookUpBranches extends lookUpFrom({ model: branches, where: { isActive: true }, briefOf: inBrief }) {}` */
export const lookUpFrom = <Doc extends object>(lookUp: LookUp<Doc>) =>
  class extends Query<readonly InBrief[]> {
    static readonly lookUp = lookUp;
    constructor(
      readonly scope: Scope,
      readonly search: string | undefined,
    ) {
      super();
    }
  };

type LookUpQuery = Query<readonly InBrief[]> & { scope: Scope; search: string | undefined };

/** The handler of a look-up. */
export function looksUpFrom<Doc extends object>(
  query: Type<LookUpQuery> & { lookUp: LookUp<Doc> },
): Type<IQueryHandler> {
  const { model, where, briefOf } = query.lookUp;
  @QueryHandler(query)
  class LookUpHandler {
    constructor(@Inject(ReadModels) private readonly models: ReadModels) {}
    async execute({ scope, search }: LookUpQuery): Promise<readonly InBrief[]> {
      const request = { pageNumber: 1, pageSize: CANDIDATES, where, ...(search !== undefined && { search }) };
      const { items } = await this.models.list(model, scope, request);
      return bestMatches(items.map(briefOf), search);
    }
  }
  return LookUpHandler;
}

/**
 * The records that a look-up shows, the best match first: the code itself, the name itself, names that begin with the
 * words searched for, names that begin with their letters, then the others. Equal matches stay in the order found.
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
