import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BackupArchive } from '../backup/backup-archive.js';
import { executionViewOf, JOB_DIRECTORY, type JobDirectory, jobRecordOf } from '../queries/operation.queries.js';
import { job, type JobEvent, type JobState } from '../aggregates/job.aggregate.js';
import { executionLogOf } from '../aggregates/job-execution.js';
import { DomainError, invalid } from '../eventsourcing/domain-error.js';
import { EventCatalogue, type Recorded } from '../eventsourcing/event-catalogue.js';
import { FairQueue } from '../eventsourcing/fair-queue.js';
import { LiveFeed } from '../projecting/live-feed.js';
import { AUTHENTICATOR, type Authenticator, type OperatorPrincipal } from '../security/principal.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { EVENT_STORE, type EventStore, type Position } from '../ports/event-store.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { EventStream, sseComment, sseFrame } from './event-stream.js';
import { SETTINGS, type HttpSettings } from './read-your-writes.js';

/** Maximum number of open streams per process. */
export const MAX_STREAMS = 1_024;
const COMMENT_EVERY_MS = 15_000;
/** Cached sessions may be half a second old, so a session's end is noticed within a second. */
const CHECK_EVERY_MS = 500;
/** A connection that accepts no data for this long is closed. */
const STALLED_AFTER_MS = 30_000;
/** Maximum time for which a shutdown waits for clients that are still reading. */
const LEAVE_WITHIN_MS = 300;
const LOOK_EVERY_MS = 20;
/** Number of watchers to serve before yielding to other work. */
const WRITTEN_AT_ONCE = 64;
const CATCHING_UP_AT_ONCE = 4;
const KEEP_ALIVE = sseComment('keep-alive');
const RESUMED = sseComment('resumed');

/** The owner of a stream. While the stream is open, the token is checked repeatedly. */
export type Watcher = { readonly token: string } & Pick<OperatorPrincipal, 'sessionId' | 'userId'>;

const tooManyOfOne = (): DomainError =>
  new DomainError('limited', 'RATE_LIMITED', 'Too many streams are open. Close one first.', {
    retryAfterSeconds: 5,
  });

const POSITION = /^(?:0|[1-9]\d{0,15})$/;

/** Sends live job changes to many watchers over one subscription, which starts with the first watcher. */
@Injectable()
export class JobFeed implements OnModuleDestroy {
  /** Open streams with their watchers. */
  private readonly streams = new Map<EventStream, Watcher>();
  /** Streams that are ending. */
  private readonly leaving = new Set<EventStream>();
  private readonly states = new Map<string, { state: JobState; revision: number }>();
  private readonly stopping = new AbortController();
  private readonly catchingUp = new FairQueue(
    { atOnce: CATCHING_UP_AT_ONCE, maxWaiting: MAX_STREAMS },
    () => new Error('too many event streams lag behind'),
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
    @Inject(BackupArchive) private readonly archive: BackupArchive,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
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

  /** Number of open streams. */
  get open(): number {
    return this.streams.size;
  }

  /**
   * Opens a stream that lasts until the watcher's session ends. It starts with a snapshot of all jobs, or continues
   * after the last received event.
   * @throws DomainError invalid if `lastEventId` is not the position of an event; limited if the session or user has
   * too many streams; unavailable if the process has too many streams
   */
  async watch(watcher: Watcher, lastEventId: string | undefined): Promise<EventStream> {
    this.admit(watcher);
    await (this.started ??= this.start());
    const resumed = lastEventId === undefined ? undefined : await this.positionOf(lastEventId);
    const isGone = await this.archive.gone();
    this.admit(watcher);
    const after = resumed ?? this.feed.position;
    const stream = new EventStream({
      feed: this.feed,
      after,
      first: resumed === undefined ? this.snapshot(isGone) : RESUMED,
      inTurn: (read) => this.catchingUp.run({ group: '' }, read),
      monotonicMs: () => this.clock.monotonicMs(),
    });
    this.streams.set(stream, watcher);
    stream.once('close', () => this.streams.delete(stream));
    this.beginWatch();
    return stream;
  }

  /** Ends all streams. Called before the server waits for its connections to close. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    for (const stream of this.streams.keys()) this.finish(stream);
    await Promise.all([this.feed.stop(), this.watching]);
    for (let waitedMs = 0; waitedMs < LEAVE_WITHIN_MS && !this.haveLeft(); waitedMs += LOOK_EVERY_MS)
      await this.clock.sleep(LOOK_EVERY_MS);
    this.cutWhoStays();
  }

  /** Notifies all watchers in small groups, because writing to a thousand watchers takes tens of milliseconds. */
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

  private admit({ sessionId, userId }: Watcher): void {
    const open = [...this.streams.values()].filter((watcher) => watcher.userId === userId);
    const ofSession = open.filter((watcher) => watcher.sessionId === sessionId);
    const { sessionStreams, userStreams } = this.settings;
    if (ofSession.length >= sessionStreams || open.length >= userStreams) throw tooManyOfOne();
    if (this.streams.size < MAX_STREAMS && !this.stopping.signal.aborted) return;
    throw new DomainError('unavailable', 'UNAVAILABLE', 'Too many streams are open. Try again later.', {
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

  /** Loads the jobs from their streams and starts the feed at the head of the history. */
  private async start(): Promise<void> {
    try {
      const head = await this.events.head();
      const names = [...this.directory.jobs.keys()];
      const loaded = await Promise.all(names.map((name) => this.reader.read(job, PLATFORM_TENANT, name)));
      loaded.forEach(({ state, revision }, index) => this.states.set(names[index] ?? '', { state, revision }));
      this.feed.start(head);
      // A loaded state may be ahead of the feed. Wait until the feed has caught up, so that no snapshot is ahead of the
      // feed.
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
      state: job.evolve(known.state, event),
      revision: event.revision,
    });
  }

  private frameOf(event: Recorded<JobEvent>): Buffer | undefined {
    const log = this.directory.jobs.has(event.recordId) ? executionLogOf(event, event.revision) : undefined;
    return log && sseFrame('job', event.position, executionViewOf(event.recordId, log));
  }

  private snapshot(isGone: (fileName: string) => boolean): Buffer {
    const nowMs = this.clock.nowMs();
    const records = [...this.directory.jobs.values()].map((facts) =>
      jobRecordOf(facts, this.states.get(facts.name)?.state ?? job.initial, nowMs, isGone),
    );
    return sseFrame('snapshot', this.feed.position, records);
  }

  private async positionOf(lastEventId: string): Promise<Position> {
    const position = POSITION.test(lastEventId) ? Number(lastEventId) : Number.NaN;
    const isKnown = position <= this.feed.position || position <= (await this.events.head());
    if (!isKnown)
      throw invalid([{ path: 'Last-Event-ID', message: 'Last-Event-ID must be the id of a received event.' }]);
    return position;
  }

  private beginWatch(): void {
    this.watching ??= this.keepWatch().finally(() => {
      this.watching = undefined;
      // A stream may have been opened while the watch was ending.
      if (this.streams.size > 0 && !this.stopping.signal.aborted) this.beginWatch();
    });
  }

  /** While streams are open, sends comments, ends the streams of ended sessions, and closes stalled connections. */
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
    const tokens = [...new Set([...this.streams.values()].map(({ token }) => token))];
    const ended = new Set<string>();
    await Promise.all(
      tokens.map(async (token) => {
        try {
          const { kind } = await this.authenticator.bearer(token);
          if (kind !== 'operator') ended.add(token);
        } catch (error) {
          // The stream also ends if the session can no longer be confirmed, because requests would then also be
          // rejected.
          if (!(error instanceof DomainError)) this.logger.error({ err: error }, 'a session could not be looked up');
          ended.add(token);
        }
      }),
    );
    for (const [stream, { token }] of this.streams) if (ended.has(token)) this.finish(stream);
  }
}
