import type { INestApplicationContext } from '@nestjs/common';
import type { DeadLetterOrigin } from '../aggregates/dead-letter.aggregate.js';
import type { Backpressure } from '../eventsourcing/backpressure.js';
import type { Policy } from '../eventsourcing/policy.js';
import { narrowedTo } from '../eventsourcing/ranges.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { isTemporary } from '../eventsourcing/transient-errors.js';
import { DeadLetters, letterOf } from '../integration/dead-letters.js';
import { ALERTS, OperatorAlerts } from '../policies/operator-alerts.js';
import { POLICIES } from '../policies/policies.js';
import { NOTIFICATIONS_IN_HAND, PushDeliveries, type Sent } from '../policies/push-delivery.js';
import { LateEntryWatch } from '../policies/late-entry.watch.js';
import { RestorationWatch } from '../policies/restoration.policy.js';
import type { Led } from '../projecting/leadership.js';
import { leadRanges, type LedPortion } from '../projecting/range-leadership.js';
import { WindowedSubscriber, type WindowedOptions } from '../projecting/windowed-subscriber.js';
import { catalogue } from './catalogue.js';
import type { Engines } from './engines.js';
import { PUSH } from './notifications.js';
import { PAUSED, PausablePolicy } from './pausable-policy.js';

/** Name of the group of replicas that share the policies. */
export const POLICIES_GROUP = 'policies';

/** Runs policies and push notifications while this process leads them. */
export function leadPolicies(app: INestApplicationContext, engines: Engines, backpressure: Backpressure): Led[] {
  const { leadership, ranges, checkpoints, clock, logger, queues } = engines;
  const reader = app.get(RecordReader);
  const deadLetters = app.get(DeadLetters);
  const policies = app.get<readonly Policy[]>(POLICIES);
  const pushes = app.get(PushDeliveries);
  const alerts = app.get(OperatorAlerts);
  const watches = [app.get(RestorationWatch), app.get(LateEntryWatch)];
  const lead = (policy: Policy, portion: LedPortion | undefined) => {
    const meter = queues.of(policy.name, 'policy');
    meter.ranges = portion?.ranges;
    return new PausablePolicy({
      ...{ name: policy.name, reader, checkpoints, clock, logger, meter },
      subscriber: (whenRunning) =>
        subscriber(engines, deadLetters, {
          ...{ name: policy.name, kind: 'policy', types: [...policy.types, PAUSED] },
          origin: policy.letters ?? 'POLICY',
          handle: (event, stopping) => (event.type === PAUSED ? Promise.resolve() : policy.react(event, stopping)),
          pace: ({ type, recordedAtMs }) => (type === PAUSED ? whenRunning() : backpressure.turn(recordedAtMs)),
          ...(policy.isSettled && { isSettled: (event) => policy.isSettled?.(event) === true }),
          ...(policy.inOrder && { maxInFlight: 1 }),
          ...(portion && { portion, isControl: ({ type }) => type === PAUSED }),
        }),
    });
  };
  return [
    leadRanges({ leadership, ranges }, POLICIES_GROUP, (portion) =>
      begin(policies.map((policy) => lead(policy, portion))),
    ),
    ...watches.map((watch) => leadership.lead(`policy:${watch.name}`, () => Promise.resolve(watch.start()))),
    ...(alerts.isWanted
      ? [
          leadership.lead(ALERTS, () =>
            started(
              subscriber(engines, deadLetters, {
                ...{ name: ALERTS, kind: 'push', types: ['NotificationSent'], origin: 'WEBHOOK' },
                handle: (event, stopping) => alerts.deliver(event as Sent, stopping),
              }),
            ),
          ),
        ]
      : []),
    leadership.lead(PUSH, () =>
      started(
        subscriber(engines, deadLetters, {
          ...{ name: PUSH, kind: 'push', types: ['NotificationSent'], origin: 'PUSH' },
          handle: (event, stopping) => pushes.deliver(event as Sent, stopping),
          maxInFlight: NOTIFICATIONS_IN_HAND,
        }),
      ),
    ),
  ];
}

type Subscription = Pick<
  WindowedOptions,
  'name' | 'handle' | 'isSettled' | 'pace' | 'maxInFlight' | 'portion' | 'isControl'
> & {
  readonly kind: 'policy' | 'push';
  readonly types: readonly string[];
  /** Origin to record in dead letters for events that cannot be processed. */
  readonly origin: DeadLetterOrigin;
};

/** Starts several tasks together. If one task cannot start, stops all of them. */
async function begin(tasks: readonly (Led & { start(): Promise<void> })[]): Promise<Led> {
  const stop = async (): Promise<void> => {
    await Promise.all(tasks.map((task) => task.stop()));
  };
  try {
    await Promise.all(tasks.map((task) => task.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function started<L extends Led & { start(): Promise<void> }>(led: L): Promise<L> {
  await led.start();
  return led;
}

function subscriber(
  { events, checkpoints, clock, logger, queues }: Engines,
  deadLetters: DeadLetters,
  { types, kind, origin, ...options }: Subscription,
): WindowedSubscriber {
  return new WindowedSubscriber(events, catalogue, checkpoints, clock, logger, {
    ...options,
    // Sale streams never contain notifications.
    filter: { on: 'type', prefixes: types, ...(kind === 'push' && narrowedTo([])) },
    isTransient: isTemporary,
    meter: queues.of(options.name, kind),
    park: (event, error) => deadLetters.park(letterOf(origin, options.name, event, error)),
  });
}
