import { Inject, Injectable } from '@nestjs/common';
import { DeadLetters, type ParkRequest, type SettleRequest } from './integration/dead-letters.js';
import { CommandRunner } from './platform/command-runner.js';
import { asService } from './platform/context.js';
import { noteRebuild, projectionAggregate, type RebuildStep } from './platform/projection-control.js';
import { PLATFORM_TENANT } from './platform/stream-name.js';
import { IDS, type Ids } from './ports/time.js';
import type { SubscriberOffice } from './subscribers.js';

/** Writes for the subscribers, which may run in a thread that appends nothing. */
@Injectable()
export class ServiceSubscriberOffice implements SubscriberOffice {
  constructor(
    @Inject(DeadLetters) private readonly letters: DeadLetters,
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  readonly park = (request: ParkRequest): Promise<void> => this.letters.park(request);

  readonly settle = (request: SettleRequest): Promise<void> => this.letters.settle(request);

  readonly reportRebuild = async (projection: string, rebuildId: string, step: RebuildStep): Promise<boolean> => {
    const own = { tenantId: PLATFORM_TENANT, name: 'projections', commandId: this.ids.next() };
    const target = { tenantId: PLATFORM_TENANT, id: projection };
    const { events } = await asService(own, () =>
      this.runner.execute(projectionAggregate, target, { rebuildId, step }, noteRebuild),
    );
    return events.length > 0;
  };
}
