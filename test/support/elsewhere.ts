import { catalogue } from '../../src/app/catalogue.js';
import type { Engines } from '../../src/app/engines.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';

/** Creates another replica's components that append events. They share no memory with the service under test. */
export function replicaOn({ events, clock, ids }: Pick<Engines, 'events' | 'clock' | 'ids'>) {
  const reader = new RecordReader(events, catalogue, clock);
  const appender = new Appender(events, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  return { reader, claims, runner: new CommandRunner(reader, appender, claims, memberships, clock) };
}

/** Executes commands as another replica on the same event store would, without notifying the service under test. */
export function elsewhere<T>(
  engines: Engines,
  work: (replica: { readonly runner: CommandRunner; readonly reader: RecordReader }) => Promise<T>,
  tenantId: string = PLATFORM_TENANT,
): Promise<T> {
  const commandId = engines.ids.next();
  const actor = { kind: 'system', name: 'elsewhere' } as const;
  const context = { tenantId, actor, requestId: commandId, correlationId: commandId, commandId };
  return inContext(context, () => work(replicaOn(engines)));
}
