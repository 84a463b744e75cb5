import { Inject, Injectable } from '@nestjs/common';
import type { TenantEvent } from '../aggregates/tenant.aggregate.js';
import { TenantSeeder } from '../commands/tenant-seeds.js';
import type { Recorded } from '../platform/event-catalogue.js';
import type { Policy } from '../platform/policy.js';

/** Finishes what a crash left undone when a tenant was made; where all is there it changes nothing. */
@Injectable()
export class TenantSeedingPolicy implements Policy {
  readonly name = 'tenant-seeding';
  readonly types = ['TenantCreated'];

  constructor(@Inject(TenantSeeder) private readonly seeder: TenantSeeder) {}

  async react(event: Recorded<Extract<TenantEvent, { type: 'TenantCreated' }>>): Promise<void> {
    await this.seeder.seed(event, event.recordId, event.data);
  }
}
