import { Inject, Injectable } from '@nestjs/common';
import type { TenantEvent } from '../aggregates/tenant.aggregate.js';
import { TenantSeeder } from '../commands/tenant.commands.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Policy } from '../eventsourcing/policy.js';

/** Completes a tenant's initial records after a crash during its creation. Changes nothing if all of them exist. */
@Injectable()
export class TenantSeedingPolicy implements Policy {
  readonly name = 'tenant-seeding';
  readonly types = ['TenantCreated'];

  constructor(@Inject(TenantSeeder) private readonly seeder: TenantSeeder) {}

  async react(event: Recorded<Extract<TenantEvent, { type: 'TenantCreated' }>>): Promise<void> {
    await this.seeder.seed(event, event.recordId, event.data);
  }
}
