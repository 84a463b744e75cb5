import { Inject, Injectable } from '@nestjs/common';
import { notification, sendNotification, type NewNotification } from '../aggregates/notification.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { nameUuid } from '../platform/name-uuid.js';
import { inReactionTo, type Cause } from '../platform/policy.js';

// Fixed for ever: what is told again has the same id.
const NAMESPACE = '6f2a1d7c-93c5-5b1e-8a4f-0d5b7e6c9a12';
export const noticeId = (...about: readonly string[]): string => nameUuid(JSON.stringify(about), NAMESPACE);

/** Tells people what the service did by itself. Once for each id, however often it is asked to. */
@Injectable()
export class Notices {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  /** `tenantId`: whose people they are; the platform's are the operators. */
  async tell(cause: Cause, tenantId: string, id: string, content: NewNotification): Promise<void> {
    await inReactionTo(
      cause,
      'notification',
      () => this.runner.execute(notification, { tenantId, id }, content, sendNotification),
      tenantId,
    );
  }
}
