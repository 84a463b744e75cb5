import { Inject, Injectable } from '@nestjs/common';
import { FORWARDER, forwarder, noteForwarder, type ForwarderReport } from '../aggregates/forwarder.aggregate.js';
import { DeadLetters, type ParkRequest, type SettleRequest } from '../integration/dead-letters.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import { noteRebuild, projectionAggregate, type RebuildStep } from '../projecting/projection-control.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { IDS, type Ids } from '../ports/time.js';
import type { SubscriberCallbacks } from './subscribers.js';

/** Appends on behalf of the subscribers, which may run in a thread that cannot append. */
@Injectable()
export class ServiceSubscriberCallbacks implements SubscriberCallbacks {
  constructor(
    @Inject(DeadLetters) private readonly letters: DeadLetters,
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  readonly park = (request: ParkRequest): Promise<void> => this.letters.park(request);

  readonly settle = (request: SettleRequest): Promise<void> => this.letters.settle(request);

  readonly reportRebuild = async (projection: string, rebuildId: string, step: RebuildStep): Promise<boolean> => {
    const target = { tenantId: PLATFORM_TENANT, id: projection };
    const { events } = await this.as('projections', () =>
      this.runner.execute(projectionAggregate, target, { rebuildId, step }, noteRebuild),
    );
    return events.length > 0;
  };

  readonly noteForwarder = async (report: ForwarderReport): Promise<void> => {
    const target = { tenantId: PLATFORM_TENANT, id: FORWARDER };
    await this.as('forwarder', () => this.runner.execute(forwarder, target, report, noteForwarder));
  };

  private as<T>(name: string, work: () => Promise<T>): Promise<T> {
    return asService({ tenantId: PLATFORM_TENANT, name, commandId: this.ids.next() }, work);
  }
}
