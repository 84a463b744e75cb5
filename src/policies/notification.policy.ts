import { Inject, Injectable } from '@nestjs/common';
import type { DeadLetterEvent } from '../aggregates/dead-letter.aggregate.js';
import type { JobEvent } from '../aggregates/job.aggregate.js';
import type { OperatorEvent } from '../aggregates/operator.aggregate.js';
import { pushSubscription, unsubscribeFromPush } from '../aggregates/push-subscription.aggregate.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import type { Recorded } from '../platform/event-catalogue.js';
import { inReactionTo, type Policy } from '../platform/policy.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { ParkedLetters } from '../queries/parked-letters.js';
import { PushTargets } from '../queries/push-targets.js';
import { noticeId, Notices } from './notices.js';

type Told = Extract<
  JobEvent | DeadLetterEvent | SaleEvent | UserEvent | OperatorEvent,
  { type: 'JobFailed' | 'DeadLetterParked' | 'SaleRejected' | 'UserDeleted' | 'OperatorDeleted' }
>;

/** What happened longer ago is no news: so a policy that begins anew does not tell the whole history. */
const NEWS_FOR_MS = 24 * 60 * 60 * 1_000;
const MAX_BODY_LENGTH = 500;

const hourOf = ({ metadata }: Recorded): string => metadata.timestamp.slice(0, 13);

/**
 * What the service tells by itself. One notification for each kind of trouble and hour, however often it comes: its id
 * derives from both, so that the first one is told and the others change nothing. And who is deleted is not pushed to.
 */
@Injectable()
export class NotificationPolicy implements Policy {
  readonly name = 'notification';
  readonly types = ['JobFailed', 'DeadLetterParked', 'SaleRejected', 'UserDeleted', 'OperatorDeleted'];

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(PushTargets) private readonly targets: PushTargets,
    @Inject(ParkedLetters) private readonly parked: ParkedLetters,
    @Inject(Notices) private readonly notices: Notices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async react(event: Recorded<Told>): Promise<void> {
    if (event.type === 'UserDeleted' || event.type === 'OperatorDeleted') await this.endPushes(event);
    else if (this.clock.nowMs() - Date.parse(event.metadata.timestamp) <= NEWS_FOR_MS) await this.tell(event);
  }

  private async tell(event: Recorded<Exclude<Told, { type: 'UserDeleted' | 'OperatorDeleted' }>>): Promise<void> {
    switch (event.type) {
      case 'JobFailed': {
        const content = {
          title: `The job ${event.recordId} failed`,
          body: event.data.error.slice(0, MAX_BODY_LENGTH) || 'Nothing is known of the reason.',
          link: `/console/jobs/${event.recordId}?run=${event.data.executionId}`,
        };
        return this.tellOperators(event, noticeId('job-failed', event.recordId, hourOf(event)), content);
      }
      case 'DeadLetterParked': {
        const { origin, eventType, subscriber, reason } = event.data;
        const waiting = Math.max(1, await this.parked.count(origin));
        const content = {
          title: `Dead letters of the origin ${origin}`,
          body: `${waiting} wait for a decision; the last: ${subscriber} cannot handle ${eventType} (${reason.code}). More of this hour are not told.`,
          link: `/console/dead-letters?origin=${origin}&status=PARKED`,
        };
        return this.tellOperators(event, noticeId('letter-parked', origin, hourOf(event)), content);
      }
      case 'SaleRejected':
        return this.tellOfSale(event);
    }
  }

  private async tellOfSale(event: Recorded<Extract<Told, { type: 'SaleRejected' }>>): Promise<void> {
    const { code, message, attempts } = event.data;
    // Whoever has it tried again is told by the answer.
    if (attempts > 1) return;
    await this.notices.tell(event, event.tenantId, noticeId('sale-rejected', event.tenantId, code, hourOf(event)), {
      title: `A sale was rejected: ${code}`,
      body: `${message} It waits until the cause is removed. More of this kind in this hour are not told.`,
      type: 'WARNING',
      link: null,
      audience: { kind: 'roles', roles: ['OWNER', 'ADMIN'] },
    });
  }

  /** Operators have the console, so there is where each of them leads. */
  private tellOperators(
    event: Recorded,
    id: string,
    content: { title: string; body: string; link: string },
  ): Promise<void> {
    const audience = { kind: 'everyone' } as const;
    return this.notices.tell(event, PLATFORM_TENANT, id, { ...content, type: 'ERROR', audience });
  }

  private async endPushes(event: Recorded): Promise<void> {
    const { tenantId, recordId: userId, position } = event;
    const ended = { userId, reason: 'USER_DELETED' } as const;
    for (const id of await this.targets.idsOf({ tenantId, userId }, position))
      await inReactionTo(event, this.name, () =>
        this.runner.execute(pushSubscription, { tenantId, id }, ended, unsubscribeFromPush),
      );
  }
}
