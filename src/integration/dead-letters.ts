import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  deadLetter,
  deadLetterId,
  parkLetter,
  settleLetter,
  type DeadLetter,
  type DeadLetterEvent,
  type DeadLetterOrigin,
  type NewDeadLetter,
} from '../aggregates/dead-letter.aggregate.js';
import { SaleRejection } from '../aggregates/rejection-causes.js';
import { sale } from '../aggregates/sale.aggregate.js';
import type { Decision } from '../eventsourcing/aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import type { EventMetadata } from '../eventsourcing/event-catalogue.js';
import { asService } from '../eventsourcing/context.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { parseStreamName, PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { RecordedEvent } from '../ports/event-store.js';
import { IDS, type Ids } from '../ports/time.js';

/** A request to park an event. It is passed to the serving thread, because no other thread may append. */
export type ParkRequest = {
  readonly origin: DeadLetterOrigin;
  readonly subscriber: string;
  readonly event: Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position'>;
  /** The event's causal chain, to which the dead letter also belongs. */
  readonly chain?: { readonly requestId: string; readonly correlationId: string };
  readonly reason: { readonly code: string; readonly message: string };
  /** Whether an operator requested the attempt that failed. A discarded letter is then parked again. */
  readonly isRequested?: boolean;
} & Pick<NewDeadLetter, 'externalId' | 'awaits'>;

/** Returns the code and message of a failure, without details that belong only in the log. */
export const reasonOf = (error: unknown): ParkRequest['reason'] => {
  if (error instanceof DomainError) return { code: error.code, message: error.message };
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'FAILED';
  return { code, message: error instanceof Error ? error.message.slice(0, 500) : 'unknown' };
};

/**
 * Creates the request to park an event that a subscriber cannot handle. Omits the event's data except for a sale's
 * external id, because the serving thread needs nothing else.
 */
export const letterOf = (
  origin: DeadLetterOrigin,
  subscriber: string,
  { id, type, stream, revision, position, metadata = {}, data }: Failed,
  error: unknown,
): ParkRequest => ({
  origin,
  subscriber,
  event: { id, type, stream, revision, position },
  ...chainOf(metadata),
  reason: reasonOf(error),
  ...(error instanceof SaleRejection ? aboutSale(error) : externalIdIn(stream, data)),
});

type Failed = ParkRequest['event'] & { readonly metadata?: object; readonly data?: unknown };

const identified = z.object({ externalId: z.string() });
const SaleData = z.union([
  identified,
  z.object({ transactions: z.tuple([identified], z.unknown()) }).transform(({ transactions: [first] }) => first),
]);

/** Returns the external id in a sale's event. Ignores invalid data, which may be the reason for the failure. */
const externalIdIn = (stream: string, data: unknown): Pick<ParkRequest, 'externalId'> =>
  (parseStreamName(stream)?.entity === sale.name && SaleData.safeParse(data).data) || {};

const chainOf = ({ requestId, $correlationId: correlationId }: Partial<EventMetadata>): Pick<ParkRequest, 'chain'> =>
  requestId !== undefined && correlationId !== undefined ? { chain: { requestId, correlationId } } : {};

const aboutSale = ({ externalId, awaits }: SaleRejection) => ({ externalId, ...(awaits !== undefined && { awaits }) });

/** Identifies a parked event that has since been handled, whether by a replay or otherwise. */
export type SettleRequest = Pick<ParkRequest, 'origin' | 'subscriber'> & {
  readonly event: Pick<RecordedEvent, 'id' | 'stream'>;
};

/** Durably parks events that cannot be handled. Each dead letter has its own stream. */
@Injectable()
export class DeadLetters {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * Resolves when the letter is durable. Repeated calls with the same origin, subscriber and event share one letter.
   */
  async park({ event, chain, ...facts }: ParkRequest): Promise<void> {
    const { id: eventId, type: eventType, stream, revision, position } = event;
    const data = { ...facts, eventId, eventType, stream, revision, position };
    await this.write(data, event, data, parkLetter, chain);
  }

  /** Marks the letter as replayed if it is parked. */
  async settle({ origin, subscriber, event }: SettleRequest): Promise<void> {
    await this.write({ origin, subscriber, eventId: event.id }, event, {}, settleLetter);
  }

  private async write<D>(
    letter: Parameters<typeof deadLetterId>[0],
    { id: causationId, stream }: SettleRequest['event'],
    data: D,
    decide: Decision<DeadLetter, D, DeadLetterEvent>,
    chain?: ParkRequest['chain'],
  ): Promise<void> {
    const tenantId = parseStreamName(stream)?.tenantId ?? PLATFORM_TENANT;
    const own = { tenantId, name: letter.subscriber, causationId, commandId: this.ids.next(), ...chain };
    await asService(own, () => this.runner.execute(deadLetter, { tenantId, id: deadLetterId(letter) }, data, decide));
  }
}
