import { Inject, Injectable } from '@nestjs/common';
import { deadLetter, deadLetterId, parkLetter, type DeadLetterOrigin } from '../aggregates/dead-letter.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { inContext } from '../platform/context.js';
import { DomainError } from '../platform/domain-error.js';
import { parseStreamName, PLATFORM_TENANT } from '../platform/stream-name.js';
import type { RecordedEvent } from '../ports/event-store.js';
import { IDS, type Ids } from '../ports/time.js';

/** An event as a dead letter names it; what crosses the border to the thread that may append. */
export type ParkRequest = {
  readonly origin: DeadLetterOrigin;
  readonly subscriber: string;
  readonly event: Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position'>;
  readonly reason: { readonly code: string; readonly message: string };
};

/** The reason of a failure, without what only a log may hold. */
export const reasonOf = (error: unknown): ParkRequest['reason'] => {
  if (error instanceof DomainError) return { code: error.code, message: error.message };
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'FAILED';
  return { code, message: error instanceof Error ? error.message.slice(0, 500) : 'unknown' };
};

/** Parks what can't be handled, durably, as an event of its own stream. */
@Injectable()
export class DeadLetters {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /** Resolves when the letter is durable; the same failure twice is one letter. */
  async park({ origin, subscriber, event, reason }: ParkRequest): Promise<void> {
    const tenantId = parseStreamName(event.stream)?.tenantId ?? PLATFORM_TENANT;
    const { id: eventId, type: eventType, stream, revision, position } = event;
    const data = { origin, subscriber, eventId, eventType, stream, revision, position, reason };
    const requestId = this.ids.next();
    const context = {
      tenantId,
      actor: { kind: 'system' as const, name: subscriber },
      requestId,
      correlationId: requestId,
      causationId: event.id,
      commandId: requestId,
    };
    await inContext(context, () =>
      this.runner.execute(deadLetter, { tenantId, id: deadLetterId(data) }, data, parkLetter),
    );
  }
}
