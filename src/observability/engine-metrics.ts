import { Counter, Histogram, Registry } from 'prom-client';
import type { PushOutcome } from '../security/push-client.js';

/** Reason why an append stored nothing, or why its outcome is unknown. */
export type AppendFailure = 'conflict' | 'refused' | 'unavailable' | 'unknown_outcome' | 'other';
const APPEND_FAILURES: readonly AppendFailure[] = ['conflict', 'refused', 'unavailable', 'unknown_outcome', 'other'];

/**
 * Outcome of publishing a message: stored, dropped by the broker as a duplicate, permanently refused, or temporarily
 * not accepted.
 */
export const PUBLISH_RESULTS = ['stored', 'duplicate', 'refused', 'unavailable'] as const;
export type PublishResult = (typeof PUBLISH_RESULTS)[number];

const PUSH_RESULTS: readonly PushOutcome['kind'][] = ['delivered', 'gone', 'refused', 'again'];

/** Bucket bounds in seconds. They range from the duration of a commit on a fast disk to a server's timeout. */
const APPEND_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The service's metrics registry, and the metrics of its engines. */
export class EngineMetrics {
  readonly registry = new Registry();
  readonly commits = this.counter(
    'kontor_event_store_commits_total',
    'Flushes of the embedded event store. Concurrent appends share a flush.',
  );
  readonly modelsLost = this.counter(
    'kontor_read_models_set_aside_total',
    'Number of times the embedded read models were damaged, moved aside and rebuilt from the history.',
  );
  readonly messages = this.counter('kontor_broker_messages_total', 'Messages passed to the broker, by result.', {
    result: PUBLISH_RESULTS,
  });
  readonly pushes = this.counter('kontor_pushes_total', 'Web Push attempts, one per browser, by result.', {
    result: PUSH_RESULTS,
  });
  readonly lookups = this.counter('kontor_cache_lookups_total', 'Cache lookups, by result.', {
    result: ['hit', 'miss'],
  });
  readonly cacheFailures = this.counter(
    'kontor_cache_failures_total',
    'Failed cache operations. While `count` fails, rate limits are not enforced.',
    { operation: ['clear', 'count'] },
  );
  readonly appendSeconds = new Histogram({
    name: 'kontor_event_store_append_duration_seconds',
    help: 'Duration of successful appends, until they are durable.',
    buckets: APPEND_BUCKETS,
    registers: [this.registry],
  });
  readonly appendedEvents = this.counter('kontor_event_store_appended_events_total', 'Events stored by this process.');
  readonly appendFailures = this.counter(
    'kontor_event_store_append_failures_total',
    'Failed appends, by reason. After a conflict with another append, the command is decided again.',
    { reason: APPEND_FAILURES },
  );

  private counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: Readonly<Record<Label, readonly string[]>>,
  ): Counter<Label> {
    return counterIn(this.registry, name, help, labels);
  }
}

/**
 * Creates a counter whose label values are known in advance. All series start at 0, so that rates include the first
 * increment.
 */
export function counterIn<Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labels?: Readonly<Record<Label, readonly string[]>>,
): Counter<Label> {
  const entries = Object.entries<readonly string[]>(labels ?? {});
  const labelNames = entries.map(([label]) => label as Label);
  const counter = new Counter<Label>({ name, help, labelNames, registers: [registry] });
  for (const [label, values] of entries) for (const value of values) counter.inc({ [label]: value } as never, 0);
  return counter;
}
