import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { JOB_DIRECTORY, type JobDirectory } from '../aggregates/job-directory.js';
import { executionLogOf, job, type JobEvent, type JobState } from '../aggregates/job.aggregate.js';
import { DomainError, invalid } from '../platform/domain-error.js';
import { EventCatalogue, type Recorded } from '../platform/event-catalogue.js';
import { Gate } from '../platform/gate.js';
import { LiveFeed } from '../platform/live-feed.js';
import { AUTHENTICATOR, type Authenticator } from '../platform/principal.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT, streamName } from '../platform/stream-name.js';
import { EVENT_STORE, type EventStore, type Position } from '../ports/event-store.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { executionViewOf, jobRecordOf } from '../queries/job.queries.js';
import { EventStream, sseComment, sseFrame } from './event-stream.js';

/** How many streams a process holds open at once. */
export const MAX_STREAMS = 1_024;
const COMMENT_EVERY_MS = 15_000;
/** What is known of a session may be half a second old: together it is noticed within a second that it has ended. */
const CHECK_EVERY_MS = 500;
/** A connection that takes nothing for so long is given up. */
const STALLED_AFTER_MS = 30_000;
/** How long those who read are waited for when the service ends. */
const LEAVE_WITHIN_MS = 300;
const LOOK_EVERY_MS = 20;
/** How many watchers are written to before other work has its turn. */
const WRITTEN_AT_ONCE = 64;
const CATCHING_UP_AT_ONCE = 4;
const KEEP_ALIVE = sseComment('keep-alive');
const RESUMED = sseComment('resumed');

const POSITION = /^(?:0|[1-9]\d{0,15})$/;

/** What happens to jobs, live, for any number of watchers: one subscription in a process, begun for the first of them. */
@Injectable()
export class JobFeed implements OnModuleDestroy {
  /** Those that are open, with the token that each was opened with. */
  private readonly streams = new Map<EventStream, string>();
  /** Those that were told to end. */
  private readonly leaving = new Set<EventStream>();
  private readonly states = new Map<string, { state: JobState; revision: number }>();
  private readonly stopping = new AbortController();
  private readonly catchingUp = new Gate(
    { atOnce: CATCHING_UP_AT_ONCE, maxWaiting: MAX_STREAMS },
    () => new Error('too many streams are behind'),
  );
  private readonly feed: LiveFeed;
  private started: Promise<void> | undefined;
  private isSpreading = false;
  private hasMore = false;
  private watching: Promise<void> | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(EventCatalogue) catalogue: EventCatalogue,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(JOB_DIRECTORY) private readonly directory: JobDirectory,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.feed = new LiveFeed(events, catalogue, clock, logger, {
      name: 'jobs',
      prefixes: [streamName(job.name, PLATFORM_TENANT, '')],
      frameOf: (event) => this.frameOf(event as Recorded<JobEvent>),
      onEvent: (event) => {
        this.fold(event as Recorded<JobEvent>);
      },
      onAdvance: () => {
        void this.spread();
      },
    });
  }

  /** How many streams are open. */
  get open(): number {
    return this.streams.size;
  }

  /**
   * A stream for whoever holds the token, until its session ends: from a snapshot of all jobs on, or from the event after
   * the one that was last received.
   * @throws DomainError invalid for what is no position of an event; unavailable when there are too many streams
   */
  async watch(token: string, lastEventId: string | undefined): Promise<EventStream> {
    this.admit();
    await (this.started ??= this.start());
    const resumed = lastEventId === undefined ? undefined : await this.positionOf(lastEventId);
    this.admit();
    const after = resumed ?? this.feed.position;
    const stream = new EventStream({
      feed: this.feed,
      after,
      first: resumed === undefined ? this.snapshot() : RESUMED,
      inTurn: (read) => this.catchingUp.run(read),
      monotonicMs: () => this.clock.monotonicMs(),
    });
    this.streams.set(stream, token);
    stream.once('close', () => this.streams.delete(stream));
    this.beginWatch();
    return stream;
  }

  /** Before the server waits for its connections: these would never end by themselves. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    for (const stream of this.streams.keys()) this.finish(stream);
    await Promise.all([this.feed.stop(), this.watching]);
    for (let waitedMs = 0; waitedMs < LEAVE_WITHIN_MS && !this.haveLeft(); waitedMs += LOOK_EVERY_MS)
      await this.clock.sleep(LOOK_EVERY_MS);
    this.cutWhoStays();
  }

  /** Tells all watchers that there is more, few at a time: a write to each of a thousand takes tens of milliseconds. */
  private async spread(): Promise<void> {
    this.hasMore = true;
    if (this.isSpreading) return;
    this.isSpreading = true;
    while (this.hasMore) {
      this.hasMore = false;
      for (const [index, stream] of [...this.streams.keys()].entries()) {
        stream.flow();
        if (index % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) await nextTurn();
      }
    }
    this.isSpreading = false;
  }

  private admit(): void {
    if (this.streams.size < MAX_STREAMS && !this.stopping.signal.aborted) return;
    throw new DomainError('unavailable', 'UNAVAILABLE', 'There are too many streams. Try again later.', {
      retryAfterSeconds: 5,
    });
  }

  private finish(stream: EventStream): void {
    stream.finish();
    this.leaving.add(stream);
  }

  private haveLeft(): boolean {
    return [...this.leaving].every(({ isGone }) => isGone);
  }

  private cutWhoStays(): void {
    for (const stream of this.leaving) stream.cut();
    this.leaving.clear();
  }

  /** The jobs as their streams say, and everything after that. */
  private async start(): Promise<void> {
    try {
      const head = await this.events.head();
      const names = [...this.directory.jobs.keys()];
      const loaded = await Promise.all(names.map((name) => this.reader.read(job, PLATFORM_TENANT, name)));
      loaded.forEach(({ state, revision }, index) => this.states.set(names[index] ?? '', { state, revision }));
      this.feed.start(head);
      // A state may be ahead of the feed: a snapshot of it would be, too.
      await this.feed.reached(Math.max(head, ...loaded.map(({ position }) => position)));
    } catch (error) {
      this.started = undefined;
      throw error;
    }
  }

  private fold(event: Recorded<JobEvent>): void {
    const known = this.states.get(event.recordId);
    if (!known || event.revision <= known.revision) return;
    this.states.set(event.recordId, {
      state: job.evolve(known.state, event, event.revision),
      revision: event.revision,
    });
  }

  private frameOf(event: Recorded<JobEvent>): Buffer | undefined {
    const log = this.directory.jobs.has(event.recordId) ? executionLogOf(event) : undefined;
    return log && sseFrame('job', event.position, executionViewOf(event.recordId, log));
  }

  private snapshot(): Buffer {
    const nowMs = this.clock.nowMs();
    const records = [...this.directory.jobs.values()].map((facts) =>
      jobRecordOf(facts, this.states.get(facts.name)?.state ?? job.initial, nowMs),
    );
    return sseFrame('snapshot', this.feed.position, records);
  }

  private async positionOf(lastEventId: string): Promise<Position> {
    const position = POSITION.test(lastEventId) ? Number(lastEventId) : Number.NaN;
    const isKnown = position <= this.feed.position || position <= (await this.events.head());
    if (!isKnown)
      throw invalid([
        { path: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event that was received.' },
      ]);
    return position;
  }

  private beginWatch(): void {
    this.watching ??= this.keepWatch().finally(() => {
      this.watching = undefined;
      // One that came just when the watch ended.
      if (this.streams.size > 0 && !this.stopping.signal.aborted) this.beginWatch();
    });
  }

  /** As long as a stream is open: comments, ended sessions, and connections that take nothing. */
  private async keepWatch(): Promise<void> {
    const { signal } = this.stopping;
    let commentedAtMs = this.clock.monotonicMs();
    while (this.streams.size + this.leaving.size > 0) {
      await this.clock.sleep(CHECK_EVERY_MS, signal);
      if (signal.aborted) return;
      const nowMs = this.clock.monotonicMs();
      const isTime = nowMs - commentedAtMs >= COMMENT_EVERY_MS;
      if (isTime) commentedAtMs = nowMs;
      for (const stream of this.streams.keys()) {
        if (stream.stalledForMs() >= STALLED_AFTER_MS) stream.destroy();
        else if (isTime) stream.comment(KEEP_ALIVE);
      }
      this.cutWhoStays();
      await this.endThoseSignedOut();
    }
  }

  private async endThoseSignedOut(): Promise<void> {
    const tokens = [...new Set(this.streams.values())];
    const ended = new Set<string>();
    await Promise.all(
      tokens.map(async (token) => {
        try {
          const { kind } = await this.authenticator.bearer(token);
          if (kind !== 'operator') ended.add(token);
        } catch (error) {
          // Also where a session's state cannot be confirmed any more: requests are refused then, too.
          if (!(error instanceof DomainError)) this.logger.error({ err: error }, 'a session could not be looked up');
          ended.add(token);
        }
      }),
    );
    for (const [stream, token] of this.streams) if (ended.has(token)) this.finish(stream);
  }
}
