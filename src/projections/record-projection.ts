import type { Field as DeclaredField, Fields, RecordShapes, ViewOf } from '../aggregates/record.js';
import type { Aggregate, DomainEvent } from '../eventsourcing/aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Field, Order, ReadModel } from '../ports/read-store.js';
import { fold } from '../ports/search.js';
import { ofRecord, type Projection } from '../projecting/projection.js';

type Common = 'id' | 'createdAt' | 'updatedAt' | 'revision';

type Named<F extends Fields> = {
  readonly name: string;
  readonly version: number;
  /** Direction of the default order. */
  readonly direction?: 'ascending' | 'descending';
  /** Additional orders by name. Each maps to the text field by which it sorts, ignoring case and accents. */
  readonly sorts?: Readonly<Record<string, keyof F & string>>;
};

/** Creates the read model of a declared record: ordered by creation, with its fields' filters and search text. */
export function readModelOf<F extends Fields>(
  record: RecordShapes<F>,
  { direction = 'descending', sorts = {}, ...named }: Named<F>,
): ReadModel<ViewOf<F>> {
  type View = ViewOf<F>;
  const declared = Object.entries<DeclaredField>(record.fields);
  const filters = declared.filter(([, { options }]) => options.filter !== undefined);
  const searched = declared.filter(([, { options }]) => options.searched).map(([name]) => name as keyof View & string);
  const fields = filters.map(([name, { kept }]) => [
    name,
    member<View>(name, kept.type === 'boolean' ? kept.type : 'text'),
  ]);
  const folded = Object.values(sorts).map((name) => [foldedName(name), foldedMember<View>(name)]);
  const orders = Object.entries(sorts).map(([sort, name]) => [
    sort,
    { fields: [foldedName(name), 'createdAt'], direction: 'ascending' },
  ]);
  return {
    ...named,
    fields: {
      createdAt: member<View>('createdAt'),
      ...(Object.fromEntries([...fields, ...folded]) as ReadModel<View>['fields']),
    },
    filters: filters.map(([name]) => name),
    order: { fields: ['createdAt'], direction },
    ...(orders.length > 0 && { orders: Object.fromEntries(orders) as Record<string, Order> }),
    ...(searched.length > 0 && { search: searchIn<View>(...searched) }),
  };
}

const member = <View>(name: string, type: Field<View>['type'] = 'text'): Field<View> => ({
  type,
  of: (view) => view[name as keyof View] as ReturnType<Field<View>['of']>,
});

const foldedName = (name: string): string => `folded_${name}`;
const foldedMember = <View>(name: string): Field<View> => ({
  type: 'text',
  of: (view) => fold(view[name as keyof View] as string),
});

/** Creates read model fields that store the named properties of the view as text. */
export const texts = <View>(...names: readonly (keyof View & string)[]): Record<string, Field<View>> =>
  Object.fromEntries(names.map((name) => [name, member<View>(name)]));

/** Creates a full-text search over the named properties of a read model's view. */
export const searchIn = <View>(...names: readonly (keyof View & string)[]) =>
  Object.fromEntries(names.map((name) => [name, (view: View) => view[name] as string | null]));

/** Creates a read model whose documents are found by id and listed in the order of `key`. */
export const keyedBy = <View extends object>(name: string, key: keyof View & string): ReadModel<View> => ({
  name,
  version: 1,
  fields: texts<View>(key),
  filters: [],
  order: { fields: [key], direction: 'ascending' },
});

type EventOfType<E extends DomainEvent, T> = Recorded<Extract<E, { readonly type: T }>>;

/**
 * Maps the events in a record's stream to changes to its view. `created` is the type of the event that creates the
 * view. Handlers of later events return the changed properties, or `null` to remove the view.
 */
type Changes<View, E extends DomainEvent, C extends E['type']> = {
  readonly [T in E['type']]: T extends C
    ? (event: EventOfType<E, T>) => Omit<View, Common>
    : ((event: EventOfType<E, T>) => Partial<Omit<View, Common>>) | null;
};

/** Projects a record's stream to one view, with its timestamps and revision. */
export const recordProjection = <View extends object, S, E extends DomainEvent, const C extends E['type']>(
  model: ReadModel<View>,
  { name }: Aggregate<S, E>,
  created: C,
  changes: Changes<View, E, C>,
): Projection<View, E> => ({
  model,
  sources: [name],
  documents: ofRecord,
  evolve: (view, event) => {
    const change = changes[event.type as E['type']] as ((event: Recorded<E>) => object) | null;
    if (change === null || (event.type !== created && !view)) return undefined;
    const { recordId: id, revision, metadata } = event;
    const { timestamp: updatedAt } = metadata;
    const before = event.type === created ? { id, createdAt: updatedAt } : view;
    return { ...before, ...change(event), updatedAt, revision } as unknown as View;
  },
});
