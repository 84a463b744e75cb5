import {
  PLATFORM,
  tenantScope,
  type AnyTable,
  type DocumentKey,
  type DocumentWrite,
  type ReadModel,
  type ReadStore,
} from '../ports/read-store.js';

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED';

/** A message for a webhook, with the last attempt to deliver it. */
export type Delivery = {
  readonly id: string;
  readonly webhookId: string;
  /** The message's CloudEvents id and type, and the record to which the message refers. */
  readonly messageId: string;
  readonly eventType: string;
  readonly subject: string;
  /** The event from which the message was translated. */
  readonly source: {
    readonly eventId: string;
    readonly stream: string;
    readonly revision: number;
    readonly position: number;
  };
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** Reason why the last attempt failed; null if it succeeded. */
  readonly code: string | null;
  readonly createdAt: string;
  readonly lastAttemptAt: string;
  readonly nextAttemptAt: string | null;
  /** Sequence number of the delivery within its webhook; see LoggedAt. */
  readonly number: number;
};

/** Number of deliveries that the log keeps for each webhook. */
export const KEPT_DELIVERIES = 1_000;
const SLOTS = Array.from({ length: KEPT_DELIVERIES }, (_, slot) => slot);

const member = (name: 'id' | 'webhookId' | 'status' | 'createdAt') => ({
  type: 'text' as const,
  of: (delivery: Delivery) => delivery[name],
});
const deliveries: ReadModel<Delivery> = {
  name: 'webhook_deliveries',
  version: 2,
  fields: {
    createdAt: member('createdAt'),
    deliveryId: member('id'),
    webhookId: member('webhookId'),
    status: member('status'),
    eventId: { type: 'text', of: ({ source }) => source.eventId },
  },
  filters: ['deliveryId', 'webhookId', 'status', 'eventId'],
  order: { fields: ['createdAt'], direction: 'descending' },
};
/**
 * Operational data that is not recorded in events. It belongs to no projection and is never rebuilt. A webhook's
 * deliveries fill its slots in turn. This limits the table's size. The slots are removed together with the webhook.
 */
export const DELIVERY_TABLE: AnyTable = { model: deliveries, generation: 1 };

/** Progress of a webhook's deliveries. Only the dispatcher reads it. */
export type StoredLane = { readonly id: string };
const lanes: ReadModel<StoredLane> = {
  name: 'webhook_lanes',
  version: 1,
  fields: { id: { type: 'text', of: ({ id }) => id } },
  filters: [],
  order: { fields: ['id'], direction: 'ascending' },
};
export const LANE_TABLE: AnyTable = { model: lanes, generation: 1 };

/** The deliveries to store, by slot. */
export type LoggedDeliveries = {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly bySlot: ReadonlyMap<number, Delivery>;
};

const keyOf = (webhookId: string, slot: number): string => `${webhookId}~${slot}`;
/** Number of documents per write operation. Each operation takes a few milliseconds. */
const STRETCH = 200;
const PAGE = 500;

const stretchesOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / STRETCH) }, (_, at) => all.slice(at * STRETCH, (at + 1) * STRETCH));

/** A write that replaces the document at a position, or a missing document. */
const replacing = (key: DocumentKey, document: object | null, position: number | undefined): DocumentWrite => ({
  ...{ ...key, document, expected: position ?? null, position: (position ?? 0) + 1 },
});

/** Stores and reads the progress and the log of webhook deliveries. @throws ReadStoreUnavailable */
export class DeliveryLog {
  /** Positions of the stored lanes, as this process last read or stored them. */
  private readonly positions = new Map<string, number>();

  constructor(private readonly store: ReadStore) {}

  prepare(): Promise<void> {
    return this.store.prepare([DELIVERY_TABLE, LANE_TABLE]);
  }

  /** Returns a page of a webhook's deliveries, newest first. */
  async list(tenantId: string, where: Readonly<Record<string, string>>, offset: number, limit: number) {
    const { items, totalCount } = await this.store.list(DELIVERY_TABLE, tenantScope(tenantId), {
      where,
      offset,
      limit,
    });
    return { items: items.map((json) => JSON.parse(json) as Delivery), totalCount };
  }

  /** Returns the logged deliveries for events, newest first. */
  async ofEvents(tenantId: string, eventIds: readonly string[]): Promise<readonly Delivery[]> {
    const found: Delivery[] = [];
    for (let after: string | undefined = eventIds.length === 0 ? undefined : ''; after !== undefined;) {
      const page = { anyOf: { eventId: eventIds }, offset: 0, limit: PAGE, after };
      const part = await this.store.list(DELIVERY_TABLE, tenantScope(tenantId), page);
      found.push(...part.items.map((json) => JSON.parse(json) as Delivery));
      after = part.next;
    }
    return found;
  }

  async find(tenantId: string, deliveryId: string): Promise<Delivery | undefined> {
    return (await this.list(tenantId, { deliveryId }, 0, 1)).items[0];
  }

  /** Returns all of a webhook's deliveries, by slot. */
  async slotsOf(tenantId: string, webhookId: string): Promise<ReadonlyMap<number, Delivery>> {
    const keys = SLOTS.map((slot) => keyOf(webhookId, slot));
    const found = await this.store.getMany(DELIVERY_TABLE, tenantScope(tenantId), keys);
    return new Map(
      SLOTS.flatMap((slot) => {
        const json = found.get(keyOf(webhookId, slot));
        return json === undefined ? [] : [[slot, JSON.parse(json) as Delivery] as const];
      }),
    );
  }

  /** Ends the log of a webhook that was disabled or deleted. The deliveries of a deleted webhook are removed. */
  end({ tenantId, id }: { readonly tenantId: string; readonly id: string }, isDeleted: boolean): Promise<void> {
    return isDeleted ? this.remove(tenantId, id) : this.abandon(tenantId, id);
  }

  /** Marks a webhook's open deliveries as failed. */
  private async abandon(tenantId: string, webhookId: string): Promise<void> {
    const open = [...(await this.slotsOf(tenantId, webhookId))].filter(([, { status }]) => status === 'PENDING');
    const ended = open.map(
      ([slot, one]) => [slot, { ...one, status: 'FAILED' as const, nextAttemptAt: null }] as const,
    );
    await this.record({ tenantId, webhookId, bySlot: new Map(ended) });
  }

  /** Idempotent. @throws Error if another leader writes at the same time */
  private async remove(tenantId: string, webhookId: string): Promise<void> {
    const keys = SLOTS.map((slot) => ({ scope: tenantScope(tenantId), id: keyOf(webhookId, slot) }));
    for (const part of stretchesOf(keys)) {
      const known = await this.store.load(DELIVERY_TABLE, part);
      const found = part.flatMap((key, at) => (known[at] ? [{ key, ...known[at] }] : []));
      const present = found.filter(({ json }) => json !== null);
      await this.mustWrite(present.map(({ key, position }) => replacing(key, null, position)));
      const dead = found.map(({ key }) => key);
      if (dead.length > 0) await this.store.purge(DELIVERY_TABLE, dead);
    }
  }

  /** Returns the number of a webhook's next delivery. The log may contain entries from before it was disabled. */
  async nextNumber(tenantId: string, webhookId: string): Promise<number> {
    const numbers = [...(await this.slotsOf(tenantId, webhookId)).values()].map(({ number }) => number);
    return Math.max(-1, ...numbers) + 1;
  }

  /** Returns the ids of the messages that have been delivered to a webhook. */
  async deliveredTo(tenantId: string, webhookId: string): Promise<ReadonlySet<string>> {
    const known = [...(await this.slotsOf(tenantId, webhookId)).values()];
    return new Set(known.filter(({ status }) => status === 'DELIVERED').map(({ messageId }) => messageId));
  }

  async lanes<Lane extends StoredLane>(): Promise<readonly Lane[]> {
    const found: Lane[] = [];
    this.positions.clear();
    for (let after: string | undefined = ''; after !== undefined;) {
      const part = await this.store.list(LANE_TABLE, PLATFORM, { offset: 0, limit: PAGE, after });
      const ids = part.items.map((json) => (JSON.parse(json) as Lane).id);
      found.push(...(await this.load(ids)).map((json) => JSON.parse(json) as Lane));
      after = part.next;
    }
    return found;
  }

  /**
   * Stores deliveries, a few hundred at a time. Overwrites entries stored by other leaders.
   * @throws Error if another leader writes at the same time
   */
  async record({ tenantId, webhookId, bySlot }: LoggedDeliveries): Promise<void> {
    const keyAt = (slot: number): DocumentKey => ({ scope: tenantScope(tenantId), id: keyOf(webhookId, slot) });
    for (const part of stretchesOf([...bySlot])) {
      const known = await this.store.load(
        DELIVERY_TABLE,
        part.map(([slot]) => keyAt(slot)),
      );
      await this.mustWrite(part.map(([slot, delivery], at) => replacing(keyAt(slot), delivery, known[at]?.position)));
    }
  }

  /**
   * Stores lanes. A null value removes a lane. Stores the checkpoint last, and only if all lanes were stored. Returns
   * false if another process has changed a lane since this process last read or stored it.
   */
  async save(
    changed: ReadonlyMap<string, StoredLane | null>,
    checkpoint: { readonly key: string; readonly position: number },
  ): Promise<boolean> {
    for (const part of stretchesOf([...changed])) {
      // Another process has added the lanes that are stored but that this process has not read.
      const added = part.map(([id]) => id).filter((id) => !this.positions.has(id));
      if ((await this.load(added)).length > 0) return false;
      const writes = part.map(([id, lane]) => replacing({ scope: PLATFORM, id }, lane, this.positions.get(id)));
      if (!(await this.write(LANE_TABLE, writes))) return false;
      for (const { id, position } of writes) this.positions.set(id, position);
    }
    await this.store.write({ tables: [], checkpoints: [checkpoint] });
    return true;
  }

  /** Returns the stored lanes as JSON, and remembers their positions. */
  private async load(ids: readonly string[]): Promise<readonly string[]> {
    const keys = ids.map((id) => ({ scope: PLATFORM, id }));
    const found = keys.length === 0 ? [] : await this.store.load(LANE_TABLE, keys);
    for (const [at, id] of ids.entries()) {
      const position = found[at]?.position;
      if (position !== undefined) this.positions.set(id, position);
    }
    return found.flatMap((stored) => stored?.json ?? []);
  }

  private async mustWrite(deliveryWrites: readonly DocumentWrite[]): Promise<void> {
    if (deliveryWrites.length > 0 && !(await this.write(DELIVERY_TABLE, deliveryWrites)))
      throw new Error('Another leader has stored deliveries of the same webhook');
  }

  private async write(table: AnyTable, writes: readonly DocumentWrite[]): Promise<boolean> {
    const { conflicts } = await this.store.write({ tables: [{ table, writes }], checkpoints: [] });
    return conflicts.length === 0;
  }
}
