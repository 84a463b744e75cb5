import { Inject, Injectable } from '@nestjs/common';
import { detectLateEntries, tenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { inReactionTo } from '../eventsourcing/policy.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import type { Led } from '../projecting/leadership.js';
import { type Undetected, UndetectedEntries } from '../queries/period.queries.js';
import { watchModel } from './model-watch.js';

/**
 * Records each late entry in the tenant's stream. The event triggers a notification to the administrators. The tenant's
 * state lists the recorded entries, so repeated checks, a second leader or a rebuilt read model change nothing.
 */
@Injectable()
export class LateEntryWatch {
  readonly name = 'late-entry-watch';

  constructor(
    @Inject(UndetectedEntries) private readonly undetected: UndetectedEntries,
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): Led {
    return watchModel(this.clock, this.logger, {
      position: () => this.undetected.position,
      look: () => this.look(),
      unreadable: 'late entries cannot be listed; retrying',
    });
  }

  /** Records all unrecorded late entries. Returns false if any of them could not be recorded. */
  async look(): Promise<boolean> {
    let isDone = true;
    for (const view of await this.undetected.all()) {
      try {
        await this.record(view);
      } catch (error) {
        isDone = false;
        this.logger.warn({ err: error, tenantId: view.tenantId }, 'late entries could not be recorded yet');
      }
    }
    return isDone;
  }

  private async record({ tenantId, closedThrough, entries: views }: Undetected): Promise<void> {
    const [first] = views;
    if (!first) return;
    const entries = views.map(({ transactionId, date, amount, currency }) => ({
      transactionId,
      date,
      amount,
      currency,
    }));
    const target = { tenantId: PLATFORM_TENANT, id: tenantId };
    await inReactionTo({ ...first.cause, tenantId }, this.name, () =>
      this.runner.execute(tenant, target, { closedThrough, entries }, detectLateEntries),
    );
  }
}
