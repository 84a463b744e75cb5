import { answers, query } from '../eventsourcing/handler.js';
import { DEAD_LETTER_REPLAYER, type DeadLetterReplayer } from './dead-letter-replayer.js';
import { ReadModels, type Page, type Paging } from './query.js';
import { PLATFORM } from '../ports/read-store.js';
import { deadLetters, type DeadLetterView } from '../projections/dead-letter.projection.js';
import { CaughtUp } from './caught-up.js';

/** A letter with its undelivered content. */
export type DeadLetterRecord = DeadLetterView & { readonly payload: unknown };

export type DeadLetterFilters = Paging & {
  readonly search?: string | undefined;
  readonly status?: string | undefined;
  readonly origin?: string | undefined;
  readonly tenantId?: string | undefined;
  /** Instants of the first failure, both inclusive. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
};

export class ListDeadLetters extends query<Page<DeadLetterRecord>, [filters: DeadLetterFilters]>() {}
export class GetDeadLetter extends query<DeadLetterRecord, [id: string]>() {}

/** Lists omit larger payloads. */
const MAX_LISTED_PAYLOAD = 4_096;
const WAIT_MS = 5_000;

const addressed = ({ eventRevision, ...letter }: DeadLetterView) => ({
  ...letter,
  ...(eventRevision !== null && { revision: eventRevision }),
});

async function listed(replayer: DeadLetterReplayer, letter: DeadLetterView): Promise<DeadLetterRecord> {
  const payload = await replayer.payloadOf(addressed(letter));
  const isShort = JSON.stringify(payload).length <= MAX_LISTED_PAYLOAD;
  return { ...letter, payload: isShort ? payload : null };
}

/** A letter parked a moment ago may not be in the read model yet, so absence counts only once it has caught up. */
async function find(models: ReadModels, caughtUp: CaughtUp, id: string): Promise<DeadLetterView> {
  const letter = await models.get(deadLetters, PLATFORM, id);
  if (letter) return letter;
  await caughtUp.withHead(deadLetters, WAIT_MS);
  return models.found(deadLetters, PLATFORM, id, 'dead letter');
}

export const deadLetterQueryHandlers = [
  answers(ListDeadLetters, [ReadModels, DEAD_LETTER_REPLAYER], (models, replayer, filters) => {
    const { pageNumber, pageSize, search, dateFrom: from, dateTo: to, ...where } = filters;
    const request = { pageNumber, pageSize, search, where, between: { firstFailedAt: { from, to } } };
    return models.page(deadLetters, PLATFORM, request, (letters) =>
      Promise.all(letters.map((letter) => listed(replayer, letter))),
    );
  }),
  answers(GetDeadLetter, [ReadModels, CaughtUp, DEAD_LETTER_REPLAYER], async (models, caughtUp, replayer, id) => {
    const letter = await find(models, caughtUp, id);
    return { ...letter, payload: await replayer.payloadOf(addressed(letter)) };
  }),
];
