import type { Aggregate, DomainEvent } from '../platform/aggregate.js';
import { CLAIM_FENCED, type Recorded } from '../platform/event-catalogue.js';
import { documentsOf, evolveWith, ofRecord, wants, type AnyProjection } from '../platform/projection.js';
import { accountDefaults, type AccountDefaults } from '../aggregates/account-defaults.aggregate.js';
import type { Sale } from '../aggregates/sale.aggregate.js';
import { accountProjection } from '../projections/account.projection.js';
import { projections } from '../projections/projections.js';
import { transactionProjection } from '../projections/transaction.projection.js';

/** What a record is at a moment of its history, in the words of the API; undefined where it is not there. */
export type Shape = object | undefined;

/** A record, and the one whose stream tells of it. */
type Subject = {
  readonly carrier: { readonly entity: string; readonly recordId: string };
  readonly entity: string;
  readonly entityId: string;
};

/** Of every record, and told by the entry itself. */
const COMMON = ['id', 'createdAt', 'updatedAt', 'revision'];
/** Parts of views that no answer shows. */
const INTERNAL = ['sequence', 'carrier', 'isDeleted'];
/** Parts of states that views lack, and that commands change. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  customer: ['openingTransaction', 'links'],
  'category-rule': ['dispute'],
};

const omit = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
const pick = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));

/** Follows one record through the stream that tells of it. */
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
    this.state = this.aggregate.evolve(this.state, event, event.revision);
    for (const [at, view] of this.views.entries()) {
      const id = view.documents === ofRecord ? event.recordId : this.subject.entityId;
      if (documentsOf(view, event).includes(id)) this.documents[at] = evolveWith(view, this.documents[at], event, id);
    }
  }

  /** As read models show it; undefined also where none does. */
  view(): Shape {
    const shown = this.documents.filter((document) => document !== undefined);
    if (shown.length === 0 || shown.some((document) => 'isDeleted' in document && document.isDeleted === true))
      return undefined;
    const besides = pick(this.state as object, BESIDES[this.subject.entity] ?? []);
    return omit(Object.assign({}, ...shown, besides) as object, [...COMMON, ...INTERNAL]);
  }

  /** As its decisions see it. */
  own(): object {
    if (this.aggregate.name === accountDefaults.name) return defaultsShape(this.state as AccountDefaults, this.subject);
    if (this.aggregate.name === 'sale') return saleShape(this.state as Sale);
    return omit(this.state as object, ['trail']);
  }
}

/**
 * The read models that have exactly one document for the record, fed by the stream alone: folded from there they are
 * what a GET of the record told. A transaction's is fed by whichever stream carries it.
 */
function viewsOf({ carrier, entity, entityId }: Subject): readonly AnyProjection[] {
  if (entity === 'transaction') return [transactionProjection];
  // What is kept of sessions serves their clean-up only: the state tells more.
  if (carrier.recordId !== entityId || entity === 'session') return [];
  if (entity === 'account') return [accountProjection];
  return projections.filter(
    (projection) => projection.documents === ofRecord && isAlone(projection) && wants(projection, carrier.entity),
  );
}

const isAlone = ({ sources }: AnyProjection): boolean => typeof sources !== 'symbol' && sources.length === 1;

/** Which account is the default is recorded apart from the accounts. */
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
