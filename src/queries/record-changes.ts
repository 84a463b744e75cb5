import { Inject, Injectable } from '@nestjs/common';
import { accountDefaults, type AccountDefaults } from '../aggregates/account-defaults.aggregate.js';
import type { Sale } from '../aggregates/sale.aggregate.js';
import type { Aggregate, DomainEvent } from '../eventsourcing/aggregate.js';
import { CLAIM_FENCED, type Recorded } from '../eventsourcing/event-catalogue.js';
import { type AnyProjection, documentsOf, evolveWith, ofRecord, wants } from '../projecting/projection.js';
import { accountProjection } from '../projections/account.projection.js';
import { type AuditLogView, carrierOf, streamOf } from '../projections/audit-log.projection.js';
import { transactionProjection } from '../projections/ledger.projection.js';
import { projections } from '../projections/projections.js';
import { StreamHistory } from './stream-history.js';

/** A record at one point in its history, as returned by the API; undefined if it does not exist at that point. */
export type Shape = object | undefined;

/** A record, with the record whose stream contains its events. */
type Subject = {
  readonly carrier: { readonly entity: string; readonly recordId: string };
  readonly entity: string;
  readonly entityId: string;
};

/** Fields that every record has and that the entry already contains. */
const COMMON = ['id', 'createdAt', 'updatedAt', 'revision'];
/** Fields of views that the API never returns. */
const INTERNAL = ['sequence', 'carrier', 'isChosen', 'isDeleted'];
/** Fields that commands change in the aggregate's state, but that views lack. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  customer: ['openingTransaction', 'links'],
  'category-rule': ['dispute'],
};

const omit = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
const pick = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));

/** Tracks the state of one record through the stream that contains it. */
export class RecordShape {
  private readonly views: readonly AnyProjection[];
  private readonly documents: (object | undefined)[];
  private state: unknown;

  constructor(
    private readonly aggregate: Aggregate<unknown, DomainEvent>,
    private readonly subject: Subject,
  ) {
    this.state = aggregate.initial;
    this.views = viewsOf(subject);
    this.documents = this.views.map(() => undefined);
  }

  apply(event: Recorded): void {
    if (event.type === CLAIM_FENCED) return;
    this.state = this.aggregate.evolve(this.state, event);
    for (const [at, view] of this.views.entries()) {
      const id = view.documents === ofRecord ? event.recordId : this.subject.entityId;
      if (documentsOf(view, event).includes(id)) this.documents[at] = evolveWith(view, this.documents[at], event, id);
    }
  }

  /** Returns the record as the read models contain it; undefined if no read model contains it. */
  view(): Shape {
    const shown = this.documents.filter((document) => document !== undefined);
    if (shown.length === 0 || shown.some((document) => 'isDeleted' in document && document.isDeleted === true))
      return undefined;
    const besides = pick(this.state as object, BESIDES[this.subject.entity] ?? []);
    return omit(Object.assign({}, ...shown, besides) as object, [...COMMON, ...INTERNAL]);
  }

  /** Returns the state on which decisions about the record are based. */
  own(): object {
    if (this.aggregate.name === accountDefaults.name) return defaultsShape(this.state as AccountDefaults, this.subject);
    if (this.aggregate.name === 'sale') return saleShape(this.state as Sale);
    return omit(this.state as object, ['trail', 'revision']);
  }
}

/**
 * Returns the read models that have exactly one document for the record and are projected from this stream alone.
 * Folding the stream into them yields the response that a GET request for the record would have returned. For a
 * transaction, this is the stream that contains the transaction.
 */
function viewsOf({ carrier, entity, entityId }: Subject): readonly AnyProjection[] {
  if (entity === 'transaction') return [transactionProjection];
  // The session view exists only to clean up sessions. The state contains more fields.
  if (carrier.recordId !== entityId || entity === 'session') return [];
  if (entity === 'account') return [accountProjection];
  return projections.filter(
    (projection) => projection.documents === ofRecord && isAlone(projection) && wants(projection, carrier.entity),
  );
}

const isAlone = ({ sources }: AnyProjection): boolean => typeof sources !== 'symbol' && sources.length === 1;

/** The choice of default accounts is recorded in a separate stream. */
const defaultsShape = ({ byType }: AccountDefaults, { entityId }: Subject): object => ({
  isDefault: Object.values(byType).includes(entityId),
  defaults: byType,
});

function saleShape(state: Sale): object {
  if (state.status === 'absent') return {};
  const { booking, trail: _, changes: __, isAwaited: ___, rejected: ____, ...facts } = state;
  const outcome = state.rejection ? 'REJECTED' : 'ACCEPTED';
  return { ...facts, status: booking ? 'BOOKED' : outcome };
}

/** A field of a record before and after an event; null if absent. */
export type Change = { readonly path: string; readonly before: unknown; readonly after: unknown };

type Moment = { readonly view: Shape; readonly own: object };

/** Determines the changes that events made, by folding the records' streams. */
@Injectable()
export class RecordChanges {
  constructor(@Inject(StreamHistory) private readonly history: StreamHistory) {}

  /** Reads the stream page by page up to the entry's event, without keeping it in memory. Omits secrets. */
  async of({ tenantId, carrier, entity, entityId, revision }: AuditLogView): Promise<readonly Change[]> {
    const entry = { tenantId, carrier, entity, entityId };
    const stream = streamOf(entry);
    const shape = new RecordShape(this.history.aggregateOf(stream), { carrier: carrierOf(entry), entity, entityId });
    const secrets = this.history.secretsOf(stream);
    for await (const event of this.history.each(stream)) {
      const decoded = this.history.decode(event);
      if (decoded) secrets.learn(decoded);
      if (event.revision === revision && decoded) {
        const before = momentOf(shape);
        shape.apply(decoded);
        return changesBy(
          { ...decoded, data: secrets.without(decoded.data) },
          secrets.without(before),
          secrets.without(momentOf(shape)),
        );
      }
      if (event.revision >= revision) break;
      if (decoded) shape.apply(decoded);
    }
    return [];
  }
}

const momentOf = (shape: RecordShape): Moment => ({ view: shape.view(), own: shape.own() });

/**
 * Returns the changes that an event made to the record. Changes absent from all read models are taken from the
 * aggregate's state. Changes that the state also lacks (a sale's lines, a job's parameters) are taken from the event.
 */
function changesBy(event: Recorded, before: Moment, after: Moment): readonly Change[] {
  const seen = difference(before.view, after.view);
  if (seen.length > 0) return seen;
  const own = difference(before.own, after.own);
  const isToldByEvent = own.length === 0 || event.entity === 'sale' || event.audit?.action !== 'UPDATE';
  return isToldByEvent ? [...own, ...toldBy(event.data, own, after.own)] : own;
}

function toldBy(data: object, changes: readonly Change[], after: object): Change[] {
  const paths = new Set(changes.map(({ path }) => path));
  const kept = leavesOf(after);
  const isNew = ([path, value]: readonly [string, unknown]): boolean =>
    value !== null && !paths.has(path) && JSON.stringify(kept.get(path)) !== JSON.stringify(value);
  return [...leavesOf(data)].filter(isNew).map(([path, value]) => ({ path, before: null, after: value }));
}

/** Returns the fields that differ, by path. Absent fields count as null. */
export function difference(before: Shape, after: Shape): Change[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, before: old.get(path) ?? null, after: now.get(path) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .filter(({ path }) => !isEmptied(path, old, now) && !isEmptied(path, now, old));
}

/** Whether to omit a path whose value is an empty list or record in `one`, but has listed fields in `other`. */
const isEmptied = (path: string, one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean =>
  isContainer(one.get(path)) &&
  !other.has(path) &&
  [...other.keys()].some((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`));

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns scalars, lists of scalars and empty containers by path, such as `address` or `lines[0].quantity`. */
function leavesOf(value: Shape): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  if (value !== undefined) collect(value, '', leaves);
  return leaves;
}

function collect(value: unknown, path: string, leaves: Map<string, unknown>): void {
  const inside = Array.isArray(value) ? itemsOf(value, path) : membersOf(value, path);
  if (inside.length === 0 && path !== '') leaves.set(path, value);
  for (const [name, each] of inside) if (each !== undefined) collect(each, name, leaves);
}

/** Returns no items for a list of scalars, because such a list is compared as a whole. */
const itemsOf = (list: readonly unknown[], path: string): (readonly [string, unknown])[] =>
  list.some(isContainer) ? list.map((each, at) => [`${path}[${at}]`, each]) : [];
const membersOf = (value: unknown, path: string): (readonly [string, unknown])[] =>
  isContainer(value) ? Object.entries(value).map(([name, each]) => [path === '' ? name : `${path}.${name}`, each]) : [];
