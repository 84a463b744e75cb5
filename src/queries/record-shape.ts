import type { Aggregate, DomainEvent } from '../eventsourcing/aggregate.js';
import { CLAIM_FENCED, type Recorded } from '../eventsourcing/event-catalogue.js';
import { documentsOf, evolveWith, ofRecord, wants, type AnyProjection } from '../projecting/projection.js';
import { accountDefaults, type AccountDefaults } from '../aggregates/account-defaults.aggregate.js';
import type { Sale } from '../aggregates/sale.aggregate.js';
import { accountProjection } from '../projections/account.projection.js';
import { projections } from '../projections/projections.js';
import { transactionProjection } from '../projections/transaction.projection.js';

/** A record at one point of its history, in API terms; undefined if it does not exist. */
export type Shape = object | undefined;

/** A record and the record whose stream contains it. */
type Subject = {
  readonly carrier: { readonly entity: string; readonly recordId: string };
  readonly entity: string;
  readonly entityId: string;
};

/** Common to every record and already part of the entry. */
const COMMON = ['id', 'createdAt', 'updatedAt', 'revision'];
/** Members of views that the API never returns. */
const INTERNAL = ['sequence', 'carrier', 'isDeleted'];
/** Members of states that commands change and views lack. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  customer: ['openingTransaction', 'links'],
  'category-rule': ['dispute'],
};

const omit = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
const pick = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));

/** Follows one record through the stream that contains it. */
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

  /** The record as shown by read models; undefined if none shows it. */
  view(): Shape {
    const shown = this.documents.filter((document) => document !== undefined);
    if (shown.length === 0 || shown.some((document) => 'isDeleted' in document && document.isDeleted === true))
      return undefined;
    const besides = pick(this.state as object, BESIDES[this.subject.entity] ?? []);
    return omit(Object.assign({}, ...shown, besides) as object, [...COMMON, ...INTERNAL]);
  }

  /** The record as seen by its decisions. */
  own(): object {
    if (this.aggregate.name === accountDefaults.name) return defaultsShape(this.state as AccountDefaults, this.subject);
    if (this.aggregate.name === 'sale') return saleShape(this.state as Sale);
    return omit(this.state as object, ['trail', 'revision']);
  }
}

/**
 * The read models with exactly one document for the record, fed by this stream alone. Folding them from it gives what a
 * GET of the record returned. A transaction's view is fed by whichever stream carries it.
 */
function viewsOf({ carrier, entity, entityId }: Subject): readonly AnyProjection[] {
  if (entity === 'transaction') return [transactionProjection];
  // The session view serves only its clean-up: the state contains more.
  if (carrier.recordId !== entityId || entity === 'session') return [];
  if (entity === 'account') return [accountProjection];
  return projections.filter(
    (projection) => projection.documents === ofRecord && isAlone(projection) && wants(projection, carrier.entity),
  );
}

const isAlone = ({ sources }: AnyProjection): boolean => typeof sources !== 'symbol' && sources.length === 1;

/** The default account is recorded separately from the accounts. */
const defaultsShape = ({ byType }: AccountDefaults, { entityId }: Subject): object => ({
  isDefault: Object.values(byType).includes(entityId),
  defaults: byType,
});

function saleShape(state: Sale): object {
  if (state.status === 'absent') return {};
  const { booking, trail: _, ...facts } = state;
  const outcome = state.rejection ? 'REJECTED' : 'ACCEPTED';
  return { ...facts, status: booking ? 'BOOKED' : outcome };
}
