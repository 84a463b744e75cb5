import { Appender } from '../eventsourcing/appender.js';
import { Claims } from '../eventsourcing/claims.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { Memberships } from '../eventsourcing/memberships.js';
import { RecordFollower } from '../eventsourcing/record-follower.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { lastOwnEvent } from '../eventsourcing/stream-events.js';
import { DeadLetters } from '../integration/dead-letters.js';
import { ModelFollower } from '../projecting/model-follower.js';
import { ProjectionStatus } from '../projecting/projection-status.js';
import { ReadModelReadiness } from '../projecting/read-model-readiness.js';
import { projections } from '../projections/projections.js';
import { ReadModels } from '../queries/query.js';
import { catalogue } from './catalogue.js';
import type { Engines } from './engines.js';
import { subscriberCallbacks } from './subscriber-callbacks.js';

/**
 * Components that commands, queries and subscribers share, created in dependency order. The engines must already be
 * open.
 */
export type Core = ReturnType<typeof coreOf>;

export function coreOf(engines: Engines) {
  const { events, reads, clock, ids, logger, progress, checkpoints } = engines;
  const reader = new RecordReader(events, catalogue, clock);
  const recordFollower = events.hasLocalReads
    ? undefined
    : new RecordFollower({ events, reader, catalogue, clock, logger });
  const appender = new Appender(events, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock);
  const deadLetters = new DeadLetters(runner, ids);
  const callbacks = subscriberCallbacks(deadLetters, runner, appender, ids);

  const models = projections.map(({ model }) => model);
  const status = new ProjectionStatus(reads, events, catalogue, reader, progress, models);
  const lastStored = () => lastOwnEvent(events, catalogue);
  const readiness = new ReadModelReadiness({ models, progress, store: reads, checkpoints, lastStored, clock });
  const follower = new ModelFollower(reads, models, progress, clock, logger, (table) =>
    reads.prepare([table], { bulk: true }),
  );
  engines.onModelsLost((reopened) => {
    readiness.forget(reopened.then(() => follower.forget()));
  });
  const readModels = new ReadModels(reads, follower, readiness);
  return {
    reader,
    recordFollower,
    appender,
    claims,
    runner,
    deadLetters,
    callbacks,
    status,
    readiness,
    follower,
    readModels,
  };
}
