import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { webhook } from '../aggregates/webhook.aggregate.js';
import { FairQueue } from '../eventsourcing/fair-queue.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { narrowedTo, rangeOf } from '../eventsourcing/ranges.js';
import { tenantOfStream } from '../eventsourcing/stream-name.js';
import { DeliveryLog, type StoredLane } from '../observability/delivery-log.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import { BEFORE_ALL, type EventFilter, type Position, type RecordedEvent } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import { subscriberKey } from '../projecting/checkpoints.js';
import { publicEventTypes } from './translations.js';
import type { DeliveryParts, WebhookAddress } from './webhook-attempts.js';
import { resentOf } from './webhook-entries.js';
import { newLane, type SavedLane, WebhookLane } from './webhook-lane.js';
import { type ConfigEvent, configTypes, recall } from './webhook-recall.js';

/** Name shared by the subscriber, its queue and its lease. */
export const WEBHOOKS = 'webhook-deliveries';

const allTypes: EventFilter = { on: 'type', prefixes: [...publicEventTypes, ...configTypes] };
const isConfig = new Set(configTypes);

/**
 * Maximum number of concurrent attempts across all tenants. A single tenant uses at most half of the places that other
 * tenants leave free.
 */
const PLACES = { atOnce: 512, leavesRoom: true };
const SAVE_EVERY_MS = 250;
/** Interval between progress reports, from which progress is restored if the read store is lost. */
const REPORT_EVERY_MS = 10 * 60_000;
/** Time limit for attempts in progress when the process stops. */
const STOP_WITHIN_MS = 2_000;

type Parts = Omit<DeliveryParts, 'turns'> & {
  readonly store: ReadStore;
  readonly meter?: QueueMeter;
  /** Gives up the lease, because another process has stored progress. */
  readonly resign: () => void;
};

/**
 * Delivers integration events to all tenants' webhooks. Reads new events once and offers each to its tenant's webhooks.
 * Stores each webhook's progress and open deliveries in the read store.
 */
export class WebhookDispatcher {
  private readonly lanes = new Map<string, WebhookLane>();
  private readonly byTenant = new Map<string, Set<WebhookLane>>();
  /** Lanes to open once their progress has been loaded, or found in the history. */
  private readonly waiting = new Map<string, SavedLane>();
  private readonly ended = new Set<string>();
  private readonly reported = new Map<string, Position>();
  private readonly log: DeliveryLog;
  private readonly reader: RecordReader;
  private readonly stopping = new AbortController();
  private readonly turns = new FairQueue(PLACES);
  private readonly saves = new KeyedQueue();
  private routed: Position = BEFORE_ALL;
  private saved: Position = BEFORE_ALL;
  private running: Promise<unknown> = Promise.resolve();
  private reportedAtMs: number;
  /** Whether another process has stored progress. This process then saves nothing more. */
  private isReplaced = false;

  constructor(private readonly parts: Parts) {
    this.log = new DeliveryLog(parts.store);
    this.reader = new RecordReader(parts.events, parts.catalogue, parts.clock);
    this.reportedAtMs = parts.clock.monotonicMs();
    setMaxListeners(0, this.stopping.signal);
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await Promise.all([...this.lanes.values()].map((lane) => lane.stop(STOP_WITHIN_MS)));
    await this.save().catch((error: unknown) => {
      this.parts.logger.warn({ err: error }, 'the progress of webhooks could not be saved; retrying');
    });
    this.parts.meter?.end();
  }

  private async run(): Promise<void> {
    const { clock, logger, meter } = this.parts;
    const { signal } = this.stopping;
    const complain = (error: unknown): void => {
      logger.warn({ err: error }, 'the webhooks are waiting for an engine');
    };
    await retryForever(clock, signal, () => this.begin(), complain);
    meter?.begin(this.routed);
    await Promise.all([
      retryForever(clock, signal, (gotOn) => this.follow(gotOn), complain),
      this.keepSaving(complain),
    ]);
  }

  /** Loads the webhooks' progress. If none is stored, finds the webhooks in the history. */
  private async begin(): Promise<void> {
    await this.log.prepare();
    const checkpoint = await this.parts.store.checkpoint(subscriberKey(WEBHOOKS));
    this.waiting.clear();
    for (const lane of await this.log.lanes<SavedLane>()) this.waiting.set(lane.id, lane);
    this.routed = this.saved = checkpoint;
    if (checkpoint === BEFORE_ALL) this.routed = await recall(this.parts, this.waiting);
    for (const lane of this.waiting.values()) await this.open(lane);
    this.waiting.clear();
  }

  /** Returns the lane for a newly created or enabled webhook. */
  private async begun(address: WebhookAddress, after: Position): Promise<SavedLane> {
    return { ...newLane(address, after), nextNumber: await this.log.nextNumber(address.tenantId, address.id) };
  }

  private async open(saved: SavedLane): Promise<void> {
    const { id, tenantId } = saved;
    if (this.lanes.has(id)) return;
    const { state } = await this.reader.read(webhook, tenantId, id);
    if (state.status === 'absent' || !state.isEnabled) {
      // It may have been disabled or deleted while no process led the webhooks.
      await this.log.end(saved, state.status === 'absent');
      this.ended.add(id);
      return;
    }
    const parts = { ...this.parts, turns: this.turns, routed: () => this.routed, deliveredTo: this.deliveredTo };
    const lane = new WebhookLane(parts, { tenantId, id }, state, saved);
    this.ended.delete(id);
    this.lanes.set(id, lane);
    this.byTenant.set(tenantId, (this.byTenant.get(tenantId) ?? new Set()).add(lane));
    lane.start();
  }

  private async close(address: WebhookAddress, isDeleted: boolean): Promise<void> {
    const { id, tenantId } = address;
    const lane = this.lanes.get(id);
    if (!lane) return isDeleted ? this.log.end(address, true) : undefined;
    await lane.stop(0);
    // A concurrent save operation could store deliveries after they have been removed.
    await this.saves.run('', async () => {
      await this.record(lane);
      await this.log.end(address, isDeleted);
      this.lanes.delete(id);
    });
    const others = this.byTenant.get(tenantId);
    others?.delete(lane);
    if (others?.size === 0) this.byTenant.delete(tenantId);
    this.ended.add(id);
  }

  private readonly deliveredTo = async ({ tenantId, id }: WebhookAddress): Promise<ReadonlySet<string>> => {
    // The most recent deliveries may not have been stored yet.
    await this.save();
    return this.log.deliveredTo(tenantId, id);
  };

  private async follow(gotOn: () => void): Promise<void> {
    while (!this.stopping.signal.aborted) await this.followSelected(this.selection(), gotOn);
  }

  /** Selects the relevant types of events. Excludes sales in ranges without any tenant that has a webhook. */
  private selection(): EventFilter {
    const ranges = new Set([...this.byTenant.keys()].map(rangeOf));
    return { ...allTypes, ...narrowedTo([...ranges]) };
  }

  /** Returns when the webhooks require a different selection of events. */
  private async followSelected(filter: EventFilter, gotOn: () => void): Promise<void> {
    const { events, meter } = this.parts;
    const { signal } = this.stopping;
    for await (const batch of events.subscribeToAll({ after: this.routed, filter, signal })) {
      for (const event of batch.events) {
        await this.take(event);
        if (isConfig.has(event.type) && !isDeepStrictEqual(this.selection(), filter)) return;
      }
      if (signal.aborted) return;
      this.routed = Math.max(this.routed, batch.position);
      if (batch.events.length > 0) meter?.handled(batch.events.length, this.routed, 0);
      meter?.reached(this.routed, batch.caughtUp);
      gotOn();
    }
    if (!signal.aborted) throw new Error('the subscription ended');
  }

  private async take(event: RecordedEvent): Promise<void> {
    if (isConfig.has(event.type)) await this.configure(event);
    else this.offer(event);
    this.routed = event.position;
  }

  private offer(event: RecordedEvent): void {
    const lanes = this.byTenant.get(tenantOfStream(event.stream) ?? '');
    if (!lanes || lanes.size === 0) return;
    let decoded: Recorded;
    try {
      decoded = this.parts.catalogue.decode(event);
    } catch {
      for (const lane of lanes) lane.offerUnreadable(event, this.routed);
      return;
    }
    for (const lane of lanes) lane.offer(decoded, this.routed);
  }

  private async configure(stored: RecordedEvent): Promise<void> {
    const event = this.parts.catalogue.decode(stored) as ConfigEvent;
    const { tenantId, recordId: id } = event;
    const lane = this.lanes.get(id);
    if (event.type === 'WebhookProgressed') return;
    if (event.type === 'WebhookCreated' || event.type === 'WebhookEnabled')
      return this.open(await this.begun({ tenantId, id }, event.position));
    // The present state is not considered, because the webhook may have been enabled again since.
    if (event.type === 'WebhookDisabled' || event.type === 'WebhookDeleted')
      return this.close({ tenantId, id }, event.type === 'WebhookDeleted');
    if (!lane) return;
    if (event.type === 'WebhookRecoveryRequested') lane.recover(event.data);
    else if (event.type === 'WebhookResendRequested') lane.resend(resentOf(event.data));
    else {
      const { state } = await this.reader.read(webhook, tenantId, id);
      if (state.status === 'present') lane.use(state);
    }
  }

  private async keepSaving(complain: (error: unknown) => void): Promise<void> {
    const { clock } = this.parts;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await clock.sleep(SAVE_EVERY_MS, signal);
      await this.save()
        .then(() => this.reportProgress())
        .catch(complain);
    }
  }

  /** Save operations run one after another, because each expects the versions that the previous one stored. */
  private save(): Promise<void> {
    return this.saves.run('', () => (this.isReplaced ? Promise.resolve() : this.saveNow()));
  }

  /** Saves one snapshot of all lanes. If saving fails, the next snapshot includes the same changes. */
  private async saveNow(): Promise<void> {
    const { routed } = this;
    const changed = new Map<string, StoredLane | null>([...this.ended].map((id) => [id, null]));
    // A failed attempt changes only the log and the entry that waits for the next attempt.
    const dirty = [...this.lanes.values()].filter(({ isDirty, attempts }) => isDirty || attempts.log.bySlot.size > 0);
    for (const lane of dirty) {
      changed.set(lane.address.id, lane.snapshot());
      lane.isDirty = false;
    }
    if (changed.size === 0 && routed === this.saved) return;
    try {
      for (const lane of dirty) await this.record(lane);
      const isSaved = await this.log.save(changed, { key: subscriberKey(WEBHOOKS), position: routed });
      if (!isSaved) {
        this.resign();
        return;
      }
      this.saved = routed;
      for (const [id, lane] of changed) if (lane === null) this.ended.delete(id);
    } catch (error) {
      for (const lane of dirty) lane.isDirty = true;
      throw error;
    }
  }

  private resign(): void {
    this.isReplaced = true;
    this.parts.logger.warn({}, 'another process has stored the progress of webhooks; this process stops delivering');
    this.parts.resign();
  }

  private async record({ attempts: { log }, address: { tenantId, id: webhookId } }: WebhookLane): Promise<void> {
    const { bySlot } = log;
    log.bySlot = new Map();
    await this.log.record({ tenantId, webhookId, bySlot }).catch((error: unknown) => {
      log.bySlot = new Map([...bySlot, ...log.bySlot]);
      throw error;
    });
  }

  private async reportProgress(): Promise<void> {
    const { clock, report } = this.parts;
    if (clock.monotonicMs() - this.reportedAtMs < REPORT_EVERY_MS) return;
    this.reportedAtMs = clock.monotonicMs();
    for (const { address, doneUpTo, isRedelivering } of [...this.lanes.values()]) {
      // Reported progress also implies that users' earlier requests are complete. A lane that reads the history itself
      // may be ahead of the router, which processes these requests.
      const position = Math.min(doneUpTo, this.routed);
      if (isRedelivering || this.reported.get(address.id) === position) continue;
      await report(address, { kind: 'progressed', position });
      this.reported.set(address.id, position);
    }
  }
}
