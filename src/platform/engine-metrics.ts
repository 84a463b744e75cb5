import { Counter, Histogram, type Registry } from 'prom-client';
import type { PushOutcome } from './push-client.js';
import type { AppendWatch } from './metered-event-store.js';
import type { CacheWatch } from './metered-cache.js';
import { PUBLISH_RESULTS, type PublishCounts, type PublishResult } from './metered-broker.js';

/** From a commit on a fast disk to the time-out of a server. */
const APPEND_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const PUSH_RESULTS: readonly PushOutcome['kind'][] = ['delivered', 'gone', 'refused', 'again'];

/** What the engines did for this process, counted as it happens. */
export class EngineMetrics {
  readonly appends: AppendWatch;
  readonly cache: CacheWatch;
  private readonly commits: Counter;
  private readonly messages: Counter<'result'>;
  private readonly pushes: Counter<'result'>;

  constructor(readonly registry: Registry) {
    const registers = [registry];
    this.appends = appendWatch(registry);
    this.cache = cacheWatch(registry);
    this.commits = new Counter({
      name: 'kontor_event_store_commits_total',
      help: 'Flushes of the embedded event store; appends that arrive together share one.',
      registers,
    });
    this.messages = new Counter({
      name: 'kontor_broker_messages_total',
      help: 'Messages given to the broker, by what became of them.',
      labelNames: ['result'],
      registers,
    });
    for (const result of PUBLISH_RESULTS) this.messages.inc({ result }, 0);
    this.pushes = new Counter({
      name: 'kontor_pushes_total',
      help: 'Web Push messages, each try of each browser, by what became of it.',
      labelNames: ['result'],
      registers,
    });
    for (const result of PUSH_RESULTS) this.pushes.inc({ result }, 0);
  }

  committed(): void {
    this.commits.inc();
  }

  pushed(result: PushOutcome['kind']): void {
    this.pushes.inc({ result });
  }

  published(result: PublishResult, messages: number): void {
    this.messages.inc({ result }, messages);
  }

  /** Adds what another thread has published since it told the last time. */
  publishedSince(before: PublishCounts, now: PublishCounts): void {
    for (const result of PUBLISH_RESULTS) this.published(result, Math.max(0, now[result] - before[result]));
  }
}

function appendWatch(registry: Registry): AppendWatch {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'kontor_event_store_append_duration_seconds',
    help: 'From the call of a successful append to its durable answer.',
    buckets: APPEND_BUCKETS,
    registers,
  });
  const stored = new Counter({
    name: 'kontor_event_store_appended_events_total',
    help: 'Events that this process stored.',
    registers,
  });
  const failures = new Counter({
    name: 'kontor_event_store_append_failures_total',
    help: 'Appends that failed, by reason; a conflict is a lost race and is decided again.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of ['conflict', 'refused', 'unavailable', 'unknown_outcome', 'other']) failures.inc({ reason }, 0);
  return {
    appended: (took, events) => {
      seconds.observe(took);
      stored.inc(events);
    },
    failed: (reason) => {
      failures.inc({ reason });
    },
  };
}

function cacheWatch(registry: Registry): CacheWatch {
  const registers = [registry];
  const lookups = new Counter({
    name: 'kontor_cache_lookups_total',
    help: 'Look-ups in the cache, by result.',
    labelNames: ['result'],
    registers,
  });
  const failures = new Counter({
    name: 'kontor_cache_failures_total',
    help: 'Operations that the cache could not do; while `count` fails, rate limits are not enforced.',
    labelNames: ['operation'],
    registers,
  });
  for (const result of ['hit', 'miss']) lookups.inc({ result }, 0);
  for (const operation of ['clear', 'count']) failures.inc({ operation }, 0);
  return {
    lookedUp: (result) => {
      lookups.inc({ result });
    },
    failed: (operation) => {
      failures.inc({ operation });
    },
  };
}
