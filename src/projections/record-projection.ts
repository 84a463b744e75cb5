import type { Field as DeclaredField, Fields, RecordShapes, ViewOf } from '../aggregates/record.js';
import type { Aggregate, DomainEvent } from '../eventsourcing/aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Field, ReadModel } from '../ports/read-store.js';
import { ofRecord, type Projection } from '../projecting/projection.js';

type Common = 'id' | 'createdAt' | 'updatedAt' | 'revision';

/** The read model of a declared record: ordered by creation, with the filters and search texts of its fields. */
export function readModelOf<F extends Fields>(
  record: RecordShapes<F>,
  { direction = 'descending', ...named }: { name: string; version: number; direction?: 'ascending' | 'descending' },
): ReadModel<ViewOf<F>> {
  type View = ViewOf<F>;
  const declared = Object.entries<DeclaredField>(record.fields);
  const filters = declared.filter(([, { options }]) => options.filter !== undefined);
  const searched = declared.filter(([, { options }]) => options.searched);
  const fieldOf = (name: string, type: Field<View>['type']): [string, Field<View>] => [
    name,
    { type, of: (view) => view[name as keyof View] as ReturnType<Field<View>['of']> },
  ];
  const fields = filters.map(([name, { kept }]) => fieldOf(name, kept.type === 'boolean' ? 'boolean' : 'text'));
  const textOf = (name: string) => (view: View) => view[name as keyof View] as string | null;
  return {
    ...named,
    fields: Object.fromEntries([fieldOf('createdAt', 'text'), ...fields]),
    filters: filters.map(([name]) => name),
    order: { fields: ['createdAt'], direction },
    ...(searched.length > 0 && { search: Object.fromEntries(searched.map(([name]) => [name, textOf(name)])) }),
  };
}

type EventOfType<E extends DomainEvent, T> = Recorded<Extract<E, { readonly type: T }>>;

/**
 * Maps the events of a record's stream to changes of its view. `created`: the type that creates it. Later events return
 * the changed members; `null` removes the view.
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
