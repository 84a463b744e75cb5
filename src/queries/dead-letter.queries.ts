import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DEAD_LETTER_OFFICE, type DeadLetterOffice } from '../aggregates/dead-letter-office.js';
import { notFound } from '../platform/domain-error.js';
import { given, ReadModels, type ListRequest, type Page } from '../platform/query.js';
import { PLATFORM } from '../ports/read-store.js';
import { deadLetters, type DeadLetterView } from '../projections/dead-letter.projection.js';
import { CaughtUp } from './caught-up.js';

/** A letter with what was to be delivered. */
export type DeadLetterRecord = DeadLetterView & { readonly payload: unknown };

export type DeadLetterFilters = {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly search?: string | undefined;
  readonly status?: string | undefined;
  readonly origin?: string | undefined;
  readonly tenantId?: string | undefined;
  /** Instants, both inclusive, of the first failure. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
};

export class ListDeadLetters extends Query<Page<DeadLetterRecord>> {
  constructor(readonly filters: DeadLetterFilters) {
    super();
  }
}
export class GetDeadLetter extends Query<DeadLetterRecord> {
  constructor(readonly id: string) {
    super();
  }
}

/** A larger payload is left out of lists. */
const MAX_LISTED_PAYLOAD = 4_096;
const WAIT_MS = 5_000;

function requestOf({
  pageNumber,
  pageSize,
  search,
  dateFrom: from,
  dateTo: to,
  ...where
}: DeadLetterFilters): ListRequest {
  const firstFailedAt = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  return {
    pageNumber,
    pageSize,
    ...(search !== undefined && { search }),
    where: given(where),
    ...(from === undefined && to === undefined ? {} : { between: { firstFailedAt } }),
  };
}

const addressed = ({ eventRevision, ...letter }: DeadLetterView) => ({
  ...letter,
  ...(eventRevision !== null && { revision: eventRevision }),
});

@QueryHandler(ListDeadLetters)
export class ListDeadLettersHandler implements IQueryHandler<ListDeadLetters> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(DEAD_LETTER_OFFICE) private readonly office: DeadLetterOffice,
  ) {}

  async execute({ filters }: ListDeadLetters): Promise<Page<DeadLetterRecord>> {
    const page = await this.models.list(deadLetters, PLATFORM, requestOf(filters));
    const items = await Promise.all(page.items.map((letter) => this.recordOf(letter)));
    return { ...page, items };
  }

  private async recordOf(letter: DeadLetterView): Promise<DeadLetterRecord> {
    const payload = await this.office.payloadOf(addressed(letter));
    const isShort = JSON.stringify(payload).length <= MAX_LISTED_PAYLOAD;
    return { ...letter, payload: isShort ? payload : null };
  }
}

@QueryHandler(GetDeadLetter)
export class GetDeadLetterHandler implements IQueryHandler<GetDeadLetter> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
    @Inject(DEAD_LETTER_OFFICE) private readonly office: DeadLetterOffice,
  ) {}

  /** A letter that was parked a moment ago may not be listed yet: that there is none counts when everything is. */
  async execute({ id }: GetDeadLetter): Promise<DeadLetterRecord> {
    const letter = (await this.models.get(deadLetters, PLATFORM, id)) ?? (await this.late(id));
    return { ...letter, payload: await this.office.payloadOf(addressed(letter)) };
  }

  private async late(id: string): Promise<DeadLetterView> {
    await this.caughtUp.withHead(deadLetters, WAIT_MS);
    const letter = await this.models.get(deadLetters, PLATFORM, id);
    if (!letter) throw notFound('dead letter');
    return letter;
  }
}

export const deadLetterQueryHandlers = [ListDeadLettersHandler, GetDeadLetterHandler];
