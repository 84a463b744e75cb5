import {
  FORWARDER,
  forwarder as aggregate,
  type Forwarder as State,
  type ForwarderReport,
  type Rewind,
} from '../aggregates/forwarder.aggregate.js';
import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { type Loaded, RecordReader } from '../eventsourcing/record-reader.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import type { Broker } from '../ports/broker.js';
import { BEFORE_ALL, type EventReader, type Position, type RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { Marks } from '../projecting/marks.js';
import type { Checkpoints } from '../projecting/checkpoints.js';
import type { LedPortion } from '../projecting/range-leadership.js';
import type { WindowedSubscriber } from '../projecting/windowed-subscriber.js';
import { createLiveLane } from './live-lane.js';
import { Attempts, handedOf, Rewinds } from './publishing.js';
import { publicEventTypes } from './translations.js';

type Parts = {
  readonly events: EventReader;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly marks: Marks;
  readonly checkpoints: Checkpoints;
  /** Portion of the history to publish. Default: all of it. Only the coordinator executes rewinds. */
  readonly portion?: LedPortion | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How to treat a history that was forwarded before but has no marks: wait for an operator, or publish all of it. */
  readonly restoreForward: 'wait' | 'all';
  /** Appends a report to the forwarder's stream. */
  readonly report: (report: ForwarderReport) => Promise<void>;
  /** Durably parks an event that cannot be published. `rewindId`: set if the failure occurred in a rewind. */
  readonly park: (event: RecordedEvent, error: unknown, rewindId?: string) => Promise<void>;
  readonly meter?: QueueMeter;
};

/**
 * If no checkpoint exists and the first public event is older than this, an earlier version has presumably forwarded
 * the history.
 */
const NEW_FOR_MS = 60 * 60_000;
/** A rewind waits while more than this number of live messages are in flight. */
const FEW_IN_FLIGHT = 16;
const YIELD_MS = 5;

const OWN_STREAM = streamName(aggregate.name, PLATFORM_TENANT, FORWARDER);
const HANDED = handedOf(FORWARDER);
const checkpointFor = ({ start }: State): string => (start ? `${FORWARDER}~resume.${start.revision}` : FORWARDER);

type Live = { readonly checkpoint: string; readonly lane: WindowedSubscriber };
type Rewinding = { readonly revision: number; readonly stop: () => Promise<void> };

/**
 * Executes the requests recorded in the forwarder's stream. Unless paused, publishes live events in one lane and
 * executes rewinds in another. If a previously forwarded history has no marks, waits for an operator, unless
 * `restoreForward` is `all`.
 */
export class Forwarder {
  private readonly stopping = new AbortController();
  private readonly reader: RecordReader;
  private readonly rewinds: Rewinds;
  private attempts: Attempts | undefined;
  private live: Live | undefined;
  private rewinding: Rewinding | undefined;
  private running: Promise<void> = Promise.resolve();
  /** Releases the live lane if it is waiting at a pause event. */
  private letThrough: () => void = () => undefined;

  constructor(private readonly parts: Parts) {
    this.reader = new RecordReader(parts.events, parts.catalogue, parts.clock);
    this.rewinds = new Rewinds({ ...parts, turn: (signal) => this.turn(signal) });
  }

  /** Every event up to and including this position has been published or parked; −1 if live forwarding is stopped. */
  get position(): number {
    return this.live?.lane.position ?? BEFORE_ALL;
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await Promise.all([this.endLive(), this.endRewinding()]);
    this.parts.meter?.end();
  }

  private async run(): Promise<void> {
    const { clock, logger } = this.parts;
    await retryForever(
      clock,
      this.stopping.signal,
      (gotOn) => this.follow(gotOn),
      (error) => {
        logger.warn({ err: error }, 'the forwarder cannot read its requests; retrying');
      },
    );
  }

  /** Checks the requests at the start and after every event in the forwarder's stream. */
  private async follow(gotOn: () => void): Promise<void> {
    const { events } = this.parts;
    const { signal } = this.stopping;
    const subscription = {
      after: await events.head(),
      filter: { on: 'stream', prefixes: [OWN_STREAM] },
      signal,
    } as const;
    let isFirst = true;
    for await (const batch of events.subscribeToAll(subscription)) {
      if (isFirst || batch.events.length > 0) await this.look();
      isFirst = false;
      gotOn();
    }
    if (!signal.aborted) throw new Error('the subscription ended');
  }

  private async look(): Promise<void> {
    this.attempts ??= await this.recall();
    const { state } = await this.read();
    if (!state.pause) this.letThrough();
    if (!state.isStarted) await this.parts.report({ kind: 'started' });
    await this.keepLive(state, this.attempts);
    await this.keepRewinding(state);
  }

  private read(): Promise<Loaded<State>> {
    return this.reader.read(aggregate, PLATFORM_TENANT, FORWARDER);
  }

  /**
   * Loads the marks that show which events earlier leaders may have published. If there are no marks, decides whether
   * to wait for an operator.
   */
  private async recall(): Promise<Attempts> {
    const { marks, logger, report, restoreForward, meter } = this.parts;
    const handed = await marks.load(HANDED);
    const checkpoint = await this.parts.checkpoints.load(FORWARDER);
    meter?.begin(checkpoint);
    if (handed >= 0 || checkpoint >= 0) return new Attempts(this.parts, HANDED, { upTo: handed, mayBeMore: true });
    const { state } = await this.read();
    if (await this.isNew(state)) return this.beginAfter(BEFORE_ALL);
    await report({ kind: restoreForward === 'all' ? 'all' : 'waiting' });
    if (restoreForward === 'all') return this.beginAfter(BEFORE_ALL);
    logger.warn({}, 'the forwarder has no checkpoint for this history; it publishes nothing until it is resumed');
    // The installation that wrote this history may have published all of its events.
    return this.beginAfter((await this.read()).position);
  }

  private async beginAfter(upTo: Position): Promise<Attempts> {
    // Any saved mark, even 0, tells later leaders that this history is known.
    await this.parts.marks.save({ [HANDED]: Math.max(0, upTo) });
    return new Attempts(this.parts, HANDED, { upTo, mayBeMore: false });
  }

  /** Whether the history is new: no forwarder has started on it, and no earlier version had time to forward it. */
  private async isNew({ isStarted }: State): Promise<boolean> {
    if (isStarted) return false;
    const { events, clock } = this.parts;
    const [first] = await events.readAll({ filter: { on: 'type', prefixes: publicEventTypes }, maxCount: 1 });
    if (!first) return true;
    return clock.nowMs() - Date.parse((first.metadata as { timestamp: string }).timestamp) < NEW_FOR_MS;
  }

  private async keepLive(state: State, attempts: Attempts): Promise<void> {
    const checkpoint = state.pause ? undefined : checkpointFor(state);
    if (this.live?.checkpoint === checkpoint) return;
    await this.endLive();
    if (checkpoint === undefined) return;
    const lane = createLiveLane({
      ...this.parts,
      attempts,
      whenPaused: () => this.whenPaused(),
      checkpoints: this.checkpointsAfter(state, checkpoint),
    });
    await lane.start();
    this.live = { checkpoint, lane };
  }

  /** Returns the lane's checkpoints since the last start. Their positions are never before the start position. */
  private checkpointsAfter({ start }: State, checkpoint: string): Checkpoints {
    const { checkpoints } = this.parts;
    const after = start?.after ?? BEFORE_ALL;
    return {
      load: async () => Math.max(await checkpoints.load(checkpoint), after),
      loadRanges: async (_, ranges) =>
        (await checkpoints.loadRanges(checkpoint, ranges)).map((position) => Math.max(position, after)),
      save: async (_, position, portion) => {
        await checkpoints.save(checkpoint, position, portion);
        // Other components read the forwarder's progress from the FORWARDER checkpoint, which never decreases.
        if (checkpoint !== FORWARDER) await checkpoints.save(FORWARDER, position, portion);
      },
    };
  }

  /** Resolves when the pause ends. */
  private async whenPaused(): Promise<void> {
    if ((await this.read()).state.pause) await new Promise<void>((resolve) => (this.letThrough = resolve));
  }

  /**
   * Stops the live lane. The meter stays active, because this process still owns the queue and the queue's lag grows.
   */
  private async endLive(): Promise<void> {
    const { live } = this;
    this.live = undefined;
    await live?.lane.stop();
    if (live) this.parts.meter?.begin(live.lane.position);
  }

  private async keepRewinding(state: State): Promise<void> {
    const isCoordinator = this.parts.portion?.coordinates ?? true;
    const next = state.pause || !isCoordinator ? undefined : state.rewinds[0];
    if (next?.revision === this.rewinding?.revision) return;
    await this.endRewinding();
    if (next) this.rewinding = this.rewind(next);
  }

  private async endRewinding(): Promise<void> {
    await this.rewinding?.stop();
    this.rewinding = undefined;
  }

  private rewind({ revision, ...range }: Rewind): Rewinding {
    const { clock, logger, report } = this.parts;
    const ending = new AbortController();
    const carryOut = async (gotOn: () => void): Promise<void> => {
      const id = await this.idOf(revision);
      const published = await this.rewinds.carryOut({ id, ...range }, ending.signal, gotOn);
      await report({ kind: 'rewound', rewind: revision, published });
    };
    const done = retryForever(clock, ending.signal, carryOut, (error) => {
      if (!ending.signal.aborted) logger.warn({ err: error }, 'the rewind was interrupted; retrying');
    });
    return {
      revision,
      stop: async () => {
        ending.abort();
        await done;
      },
    };
  }

  private async idOf(revision: number): Promise<string> {
    const request = await eventAt(this.parts.events, OWN_STREAM, revision);
    if (!request) throw new Error(`The event ${revision} of ${OWN_STREAM} does not exist.`);
    return request.id;
  }

  /**
   * Delays repeated messages while too many live messages are in flight, or while another process may have become the
   * leader.
   */
  private async turn(signal: AbortSignal): Promise<void> {
    const { clock, portion } = this.parts;
    const mayGoOn = (): boolean => (this.live?.lane.inFlight ?? 0) <= FEW_IN_FLIGHT && portion?.isFresh() !== false;
    while (!mayGoOn() && !signal.aborted) await clock.sleep(YIELD_MS, signal);
    signal.throwIfAborted();
  }
}
