// Verifies the invariants of a stopped service's data directory, which must hold after any fault.
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { toMinor } from '../../src/aggregates/money.js';
import { catalogue } from '../../src/app/catalogue.js';
import { publicEventTypes, translate } from '../../src/integration/translations.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { checkpointKey, type AnyProjection } from '../../src/projecting/projection.js';
import { hashOf, rebuildAll } from './rebuilt-table.js';
import { messagesIn } from './stored-messages.js';
import type { EventReader, Position } from '../../src/ports/event-store.js';
import type { AnyTable } from '../../src/ports/read-store.js';
import { projections } from '../../src/projections/projections.js';

const PAGE = 2_000;
const CENTS = 2;

type Posted = { readonly transactions?: readonly { readonly postings: readonly { readonly amount: string }[] }[] };

export type Audit = {
  /** The event types of each sale, in order, by the sale's external id. */
  readonly sales: ReadonlyMap<string, readonly string[]>;
  /** The event types in each record's stream, except fences, which carry no information. */
  readonly streams: ReadonlyMap<string, readonly string[]>;
  readonly events: number;
  readonly published: number;
};

/** Type of the event with which the service tests whether writes succeed after a fault. It belongs to no record. */
const TEST_APPEND = 'WritesResumed';

/** Yields a history's decoded events in order, except test appends. Throws for a damaged or truncated record. */
async function* historyOf(events: EventReader): AsyncIterable<Recorded> {
  for (let from: number | undefined; ;) {
    const page = await events.readAll({ maxCount: PAGE, ...(from !== undefined && { from }) });
    for (const event of page) if (event.type !== TEST_APPEND) yield catalogue.decode(event);
    if (page.length < PAGE) return;
    from = page.at(-1)?.position;
  }
}

const isBalanced = ({ transactions = [] }: Posted): boolean =>
  transactions.every(({ postings }) => postings.reduce((sum, { amount }) => sum + toMinor(amount, CENTS), 0n) === 0n);

/** Facts that the audit collects from the history. */
class Findings {
  readonly streams = new Map<string, string[]>();
  readonly sales = new Map<string, string[]>();
  readonly toPublish: string[] = [];
  readonly faults: string[] = [];
  events = 0;
  private readonly revisions = new Map<string, number>();
  private readonly ids = new Set<string>();
  private readonly externalIds = new Map<string, string>();
  private readonly claimedSales = new Set<string>();

  add(event: Recorded): void {
    const { stream, revision, type, id, position } = event;
    this.events += 1;
    const before = this.revisions.get(stream) ?? -1;
    if (revision !== before + 1) this.faults.push(`${stream} goes from revision ${before} to ${revision}`);
    this.revisions.set(stream, revision);
    if (this.ids.has(id)) this.faults.push(`The id ${id} comes again at ${position}`);
    this.ids.add(id);
    if (!isBalanced(event.data)) this.faults.push(`${type} at ${position} is not balanced`);
    if (publicEventTypes.includes(type)) this.toPublish.push(...translate(event).map(({ event: { id } }) => id));
    if (type === 'ClaimFenced') return;
    this.streams.set(stream, [...(this.streams.get(stream) ?? []), type]);
    if (event.entity === 'sale') this.addToSale(event);
    if (type === 'IdempotencyKeyClaimed') this.claimedSales.add((event.data as { saleId: string }).saleId);
  }

  private addToSale({ type, recordId, data }: { type: string; recordId: string; data: object }): void {
    if (type === 'SaleAccepted') {
      const { externalId } = data as { readonly externalId: string };
      if (this.sales.has(externalId)) this.faults.push(`The sale ${externalId} is accepted twice`);
      this.externalIds.set(recordId, externalId);
      this.sales.set(externalId, []);
    }
    const facts = this.sales.get(this.externalIds.get(recordId) ?? '');
    if (!facts) this.faults.push(`${type} of a sale that was never accepted: ${recordId}`);
    if (type === 'SaleBooked' && facts?.includes(type)) this.faults.push(`The sale ${recordId} is booked twice`);
    facts?.push(type);
  }

  /** Partners retry until their sales exist, so every claimed key must belong to a sale. */
  end(): void {
    for (const saleId of this.claimedSales)
      if (!this.externalIds.has(saleId))
        this.faults.push(`A key is claimed for the sale ${saleId}, which is not there`);
  }
}

/**
 * Event types that the read models may lack: test appends, and errors and checkpoints recorded during shutdown, after
 * the models have stopped.
 */
const LAST_WORDS = ['ErrorOccurred', 'CheckpointSigned', TEST_APPEND];

/** Generation number of the tables that the audit builds. */
const ANEW = 1_000;

async function liveTable(store: EmbeddedReadStore, { model }: AnyProjection): Promise<AnyTable> {
  return { model, generation: (await store.liveGeneration(model.name, model.version)) ?? 1 };
}

/**
 * Refolds every projection from the history into a separate table. The result must equal the live read model, which
 * must include all events except those in LAST_WORDS.
 */
export async function expectCleanRebuilds(directory: string): Promise<void> {
  const events = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
  const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  try {
    const byPosition = new Map<Position, AnyProjection[]>();
    for (const projection of projections) {
      const live = await liveTable(store, projection);
      const position = await store.checkpoint(checkpointKey(live.model, live.generation));
      byPosition.set(position, [...(byPosition.get(position) ?? []), projection]);
      await store.prepare([live]);
    }
    for (const [position, alike] of byPosition) {
      const names = alike.map(({ model }) => model.name);
      const later = await events.readAll({ from: position });
      const missing = later.map(({ type }) => type).filter((type) => !LAST_WORDS.includes(type));
      expect([names, missing]).toEqual([names, []]);
      await rebuildAll(events, store, catalogue, alike, ANEW, position);
    }
    for (const projection of projections) {
      const { model } = projection;
      const anew = { model, generation: ANEW };
      const live = await liveTable(store, projection);
      expect([model.name, await hashOf(store, anew)]).toEqual([model.name, await hashOf(store, live)]);
      await store.drop(anew);
    }
  } finally {
    await store.close();
    await events.close();
  }
}

/**
 * Verifies that revisions have no gaps, that events are unique, that no sale is accepted or booked twice, and that
 * every booking is balanced. Every claim must have a sale, every integration event must be published exactly once, and
 * every read model must equal a clean rebuild.
 */
export async function auditData(directory: string): Promise<Audit> {
  const clock = new SystemClock();
  const findings = new Findings();
  const events = EmbeddedEventStore.open({ directory, clock });
  try {
    for await (const event of historyOf(events)) findings.add(event);
    findings.end();
    expect(findings.faults).toEqual([]);
    const published = messagesIn(directory).map(({ payload }) => (JSON.parse(payload) as { id: string }).id);
    expect(new Set(published).size).toBe(published.length);
    const stored = new Set(published);
    expect(findings.toPublish.filter((id) => !stored.has(id))).toEqual([]);
    expect(published.length).toBe(findings.toPublish.length);
  } finally {
    await events.close();
  }
  await expectCleanRebuilds(directory);
  const { sales, streams, events: count, toPublish } = findings;
  return { sales, streams, events: count, published: toPublish.length };
}
