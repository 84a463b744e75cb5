import { catalogue } from '../../src/catalogue.js';
import type { Engines } from '../../src/engines.js';
import { Appender } from '../../src/platform/appender.js';
import { Claims } from '../../src/platform/claims.js';
import { CommandRunner } from '../../src/platform/command-runner.js';
import { inContext } from '../../src/platform/context.js';
import { Memberships } from '../../src/platform/memberships.js';
import { RecordReader } from '../../src/platform/record-reader.js';
import { PLATFORM_TENANT } from '../../src/platform/stream-name.js';

/** Carries commands out as another replica over the same event store would: the service under test is not told. */
export function elsewhere<T>(
  { events, clock, ids }: Engines,
  work: (replica: { readonly runner: CommandRunner; readonly reader: RecordReader }) => Promise<T>,
  tenantId: string = PLATFORM_TENANT,
): Promise<T> {
  const reader = new RecordReader(events, catalogue, clock);
  const appender = new Appender(events, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock);
  const commandId = ids.next();
  const actor = { kind: 'system', name: 'elsewhere' } as const;
  const context = { tenantId, actor, requestId: commandId, correlationId: commandId, commandId };
  return inContext(context, () => work({ runner, reader }));
}
