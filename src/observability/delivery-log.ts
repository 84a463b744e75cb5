import {
  PLATFORM,
  tenantScope,
  type AnyTable,
  type ReadModel,
  type ReadStore,
  type Scope,
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
 * deliveries fill its slots in turn. This limits the table's size without deletions.
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

type Write = { readonly table: AnyTable; readonly scope: Scope; readonly id: string; readonly document: object | null };

/** Stores and reads the progress and the log of webhook deliveries. @throws ReadStoreUnavailable */
export class DeliveryLog {
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
    const slots = Array.from({ length: KEPT_DELIVERIES }, (_, slot) => slot);
    const keys = slots.map((slot) => keyOf(webhookId, slot));
    const found = await this.store.getMany(DELIVERY_TABLE, tenantScope(tenantId), keys);
    return new Map(
      slots.flatMap((slot) => {
        const json = found.get(keyOf(webhookId, slot));
        return json === undefined ? [] : [[slot, JSON.parse(json) as Delivery] as const];
      }),
    );
  }

  /** Marks a webhook's open deliveries as failed, because the webhook was disabled or deleted. */
  async abandon(tenantId: string, webhookId: string): Promise<void> {
    const open = [...(await this.slotsOf(tenantId, webhookId))].filter(([, { status }]) => status === 'PENDING');
    const ended = open.map(
      ([slot, one]) => [slot, { ...one, status: 'FAILED' as const, nextAttemptAt: null }] as const,
    );
    await this.record({ tenantId, webhookId, bySlot: new Map(ended) });
  }

  async lanes<Lane extends StoredLane>(): Promise<readonly Lane[]> {
    const found: Lane[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const part = await this.store.list(LANE_TABLE, PLATFORM, { offset: 0, limit: PAGE, after });
      found.push(...part.items.map((json) => JSON.parse(json) as Lane));
      after = part.next;
    }
    return found;
  }

  /** Stores deliveries, a few hundred at a time. Overwrites entries stored by other leaders. */
  async record({ tenantId, webhookId, bySlot }: LoggedDeliveries): Promise<void> {
    const writes = [...bySlot].map(([slot, document]) => ({
      ...{ table: DELIVERY_TABLE, scope: tenantScope(tenantId), id: keyOf(webhookId, slot), document },
    }));
    for (let first = 0; first < writes.length; first += STRETCH) await this.write(writes.slice(first, first + STRETCH));
  }

  /** Stores lanes. A null value removes a lane. Stores the checkpoint last, and only if all lanes were stored. */
  async save(
    changed: ReadonlyMap<string, StoredLane | null>,
    checkpoint: { readonly key: string; readonly position: number },
  ): Promise<void> {
    const writes = [...changed].map(([id, document]) => ({ table: LANE_TABLE, scope: PLATFORM, id, document }));
    for (let first = 0; first < writes.length; first += STRETCH) await this.write(writes.slice(first, first + STRETCH));
    await this.store.write({ tables: [], checkpoints: [checkpoint] });
  }

  /** @throws Error if another leader has written concurrently */
  private async write(writes: readonly Write[]): Promise<void> {
    const [table] = writes.map((one) => one.table);
    if (!table) return;
    const known = await this.store.load(table, writes);
    const guarded = writes.map(({ scope, id, document }, index) => {
      const expected = known[index]?.position ?? null;
      return { scope, id, document, expected, position: (expected ?? 0) + 1 };
    });
    const { conflicts } = await this.store.write({ tables: [{ table, writes: guarded }], checkpoints: [] });
    if (conflicts.length > 0) throw new Error('Another leader has stored the progress of the same webhooks');
  }
}
