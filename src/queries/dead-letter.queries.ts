import { Inject, Injectable } from '@nestjs/common';
import type { DeadLetterOrigin, Failure, FiledLetter } from '../aggregates/dead-letter.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { answers, query } from '../eventsourcing/handler.js';
import { PLATFORM } from '../ports/read-store.js';
import { token } from '../ports/token.js';
import { awaitedIn, deadLetters, type DeadLetterView } from '../projections/dead-letter.projection.js';
import { CaughtUp } from './caught-up.js';
import { type Matching, type Page, type Paging, ReadModels } from './query.js';

export const DEAD_LETTER_REPLAYER = token<DeadLetterReplayer>('DEAD_LETTER_REPLAYER');

/** A dead letter with the id and tenant parsed from its stream name. */
export type AddressedLetter = Pick<
  FiledLetter,
  'origin' | 'subscriber' | 'eventId' | 'eventType' | 'stream' | 'revision'
> & { readonly id: string; readonly tenantId: string };

/** Returns the content of dead letters from every origin and retries the failed work. */
export interface DeadLetterReplayer {
  /**
   * Retries the work. `attempt` starts at 2 and identifies the delivery: two replays with the same value have the
   * effect of a single replay. `ready` is called before the work has any effect, and may delay it. Returns the reason
   * for a new failure, or undefined on success.
   * @throws DomainError unavailable if an engine is unavailable, or NewerEvent if only a newer release can read an
   * event; the outcome is then not recorded
   */
  redeliver(letter: AddressedLetter, attempt: number, ready?: () => Promise<void>): Promise<Failure | undefined>;
  /** Returns the undelivered content without secrets; null if the event is missing or has no such content. */
  payloadOf(letter: AddressedLetter): Promise<unknown>;
}

/** Counts the letters that are waiting for an operator, according to the read model. */
@Injectable()
export class ParkedLetters {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  count(origin: DeadLetterOrigin): Promise<number> {
    return this.models.count(deadLetters, PLATFORM, { where: { origin, status: 'PARKED' } });
  }
}

/** Finds the parked letters of sales that are waiting for a rejection cause to be removed. */
@Injectable()
export class WaitingSales {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /**
   * Returns the ids of the letters that are waiting until the cause is removed, oldest first. They include all letters
   * parked at or before the position.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async lettersFor(cause: string, { tenantId, position }: Pick<Recorded, 'tenantId' | 'position'>): Promise<string[]> {
    await this.caughtUp.withPosition([deadLetters], position, CATCH_UP_MS);
    const where = { awaits: awaitedIn(tenantId, cause) };
    const letters = await this.models.all(deadLetters, PLATFORM, { where, reverse: true });
    return letters.map(({ id }) => id);
  }
}

const CATCH_UP_MS = 5_000;

/** A letter with its undelivered content. */
export type DeadLetterRecord = Omit<DeadLetterView, 'awaits'> & { readonly payload: unknown };

/** `dateFrom` and `dateTo` are instants that limit the time of the first failure, both inclusive. */
export type DeadLetterFilter = Partial<
  Record<'status' | 'origin' | 'tenantId' | 'eventType' | 'code' | 'dateFrom' | 'dateTo' | 'search', string | undefined>
>;

export class ListDeadLetters extends query<Page<DeadLetterRecord>, [filter: DeadLetterFilter & Paging]>() {}
/** The number of letters that a bulk run would replay or discard, and the oldest such letters. */
export class PreviewBulk extends query<BulkPreview, [filter: DeadLetterFilter]>() {}
export type BulkPreview = { readonly matched: number; readonly sample: readonly DeadLetterRecord[] };
const MAX_SAMPLE = 20;

/** Names of the jobs that execute a bulk run. */
export const BULK_JOBS = { replay: 'dead-letter-replay', discard: 'dead-letter-discard' } as const;
export const DEFAULT_PER_SECOND = 100;
export const MAX_PER_SECOND = 1_000;

/** Selects the letters that match a filter. */
export const lettersBy = ({ search, dateFrom: from, dateTo: to, ...where }: DeadLetterFilter): Matching => ({
  search,
  where,
  between: { firstFailedAt: { from, to } },
});

/**
 * Selects the letters that match a filter and can be replayed or discarded, oldest first. Returns undefined if the
 * filter requires a status that excludes all such letters.
 */
export function parkedBy({ status = 'PARKED', ...filter }: DeadLetterFilter): Matching | undefined {
  return status === 'PARKED' ? { ...lettersBy({ ...filter, status }), reverse: true } : undefined;
}

export class GetDeadLetter extends query<DeadLetterRecord, [id: string]>() {}

/** Maximum payload length in lists, in characters. Lists omit longer payloads. */
const MAX_LISTED_PAYLOAD = 4_096;

const addressed = ({ eventRevision, ...letter }: DeadLetterView) => ({
  ...letter,
  ...(eventRevision !== null && { revision: eventRevision }),
});

const shownWith = ({ awaits: _, ...letter }: DeadLetterView, payload: unknown): DeadLetterRecord => ({
  ...letter,
  payload,
});

async function listed(replayer: DeadLetterReplayer, letter: DeadLetterView): Promise<DeadLetterRecord> {
  const payload = await replayer.payloadOf(addressed(letter));
  const isShort = JSON.stringify(payload).length <= MAX_LISTED_PAYLOAD;
  return shownWith(letter, isShort ? payload : null);
}

export const deadLetterQueryHandlers = [
  answers(ListDeadLetters, [ReadModels, DEAD_LETTER_REPLAYER], (models, replayer, filters) => {
    const { pageNumber, pageSize, ...filter } = filters;
    return models.page(deadLetters, PLATFORM, { pageNumber, pageSize, ...lettersBy(filter) }, (letters) =>
      Promise.all(letters.map((letter) => listed(replayer, letter))),
    );
  }),
  answers(PreviewBulk, [ReadModels, DEAD_LETTER_REPLAYER], async (models, replayer, filter) => {
    const parked = parkedBy(filter);
    if (!parked) return { matched: 0, sample: [] };
    const [matched, letters] = await Promise.all([
      models.count(deadLetters, PLATFORM, parked),
      models.first(deadLetters, PLATFORM, MAX_SAMPLE, parked),
    ]);
    return { matched, sample: await Promise.all(letters.map((letter) => listed(replayer, letter))) };
  }),
  answers(GetDeadLetter, [ReadModels, CaughtUp, DEAD_LETTER_REPLAYER], async (models, caughtUp, replayer, id) => {
    const letter = await caughtUp.found(models, deadLetters, PLATFORM, id, 'dead letter');
    return shownWith(letter, await replayer.payloadOf(addressed(letter)));
  }),
];
