import { FORWARDER, forwarder, noteForwarder } from '../aggregates/forwarder.aggregate.js';
import type { IntegrityEvent } from '../aggregates/integrity.aggregate.js';
import { disableWebhook, noteWebhookProgress, webhook, webhookProgress } from '../aggregates/webhook.aggregate.js';
import { TREE_STREAM } from '../integrity/tree-follower.js';
import type { DeadLetters } from '../integration/dead-letters.js';
import type { Appender } from '../eventsourcing/appender.js';
import type { CommandRunner } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import { noteRebuild, projectionAggregate } from '../projecting/projection-control.js';
import { expectedAt } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { WrongExpectedRevision } from '../ports/event-store.js';
import type { Ids } from '../ports/time.js';
import type { SubscriberCallbacks } from './subscribers.js';

/** Creates the functions that append on behalf of the subscribers, which may run in a thread that cannot append. */
export function subscriberCallbacks(
  letters: DeadLetters,
  runner: CommandRunner,
  appender: Appender,
  ids: Ids,
): SubscriberCallbacks {
  const as = <T>(name: string, work: () => Promise<T>, tenantId = PLATFORM_TENANT): Promise<T> =>
    asService({ tenantId, name, commandId: ids.next() }, work);
  return {
    park: (request) => letters.park(request),
    settle: (request) => letters.settle(request),
    reportRebuild: async (projection, rebuildId, step) => {
      const target = { tenantId: PLATFORM_TENANT, id: projection };
      const work = () => runner.execute(projectionAggregate, target, { rebuildId, step }, noteRebuild);
      return (await as('projections', work)).events.length > 0;
    },
    noteForwarder: async (report) => {
      const target = { tenantId: PLATFORM_TENANT, id: FORWARDER };
      await as('forwarder', () => runner.execute(forwarder, target, report, noteForwarder));
    },
    noteWebhook: async (target, report) => {
      const { tenantId } = target;
      if (report.kind === 'disabled')
        await as('webhooks', () => runner.execute(webhook, target, report, disableWebhook), tenantId);
      else await as('webhooks', () => runner.execute(webhookProgress, target, report, noteWebhookProgress), tenantId);
    },
    // The event is appended without a decision on the record's state, because after a conflict the signer must compare
    // its tree with the checkpoint that was recorded first.
    recordCheckpoint: async (after, data) => {
      const event = { type: 'CheckpointSigned', data } satisfies IntegrityEvent;
      try {
        await as('integrity', () => appender.write(TREE_STREAM, expectedAt(after), [event]));
        return true;
      } catch (error) {
        if (error instanceof WrongExpectedRevision) return false;
        throw error;
      }
    },
  };
}
