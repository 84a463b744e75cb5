import { z } from 'zod';
import { personal } from './personal.js';

// Each record declares its fields once. Requests, events, views, responses, list parameters and integration contracts
// are derived from the declaration. Event names, decisions and states are written explicitly.

type Options = {
  /** Callers can set the field at creation, but cannot change it later. */
  readonly fixed?: true;
  /** Dedicated events change the field, so the `changes` of the record's Updated event do not include it. */
  readonly apart?: true;
  /** Included in full-text search. */
  readonly searched?: true;
  /** `list`: a parameter of list routes. `query`: a filter that only queries use. */
  readonly filter?: 'list' | 'query';
  readonly personal?: true;
  /**
   * Publishes the field to partners. `true` publishes the stored form. A schema publishes the form that it describes.
   */
  readonly published?: true | z.ZodType;
  /** Schema in API responses, if it differs from the stored form. */
  readonly shown?: z.ZodType;
  /** Description in the OpenAPI document. */
  readonly description?: string;
};

/** Source of a field's value: callers, the service (`system`), or the projection, from later events (`derived`). */
type Origin = 'caller' | 'system' | 'derived';

export type Field<
  Create extends z.ZodType = z.ZodType,
  Update extends z.ZodType = z.ZodType,
  Kept extends z.ZodType = z.ZodType,
  By extends Origin = Origin,
  O extends Options = Options,
> = {
  readonly create: Create;
  readonly update: Update;
  readonly kept: Kept;
  readonly by: By;
  readonly otherwise: unknown;
  readonly options: O;
};
export type Fields = Readonly<Record<string, Field>>;

type Undefaulted<S extends z.ZodType> = S extends z.ZodDefault<infer Inner extends z.ZodType> ? Inner : S;
const undefaulted = <S extends z.ZodType>(schema: S): Undefaulted<S> =>
  (schema instanceof z.ZodDefault ? schema.unwrap() : schema) as Undefaulted<S>;

/**
 * A field that is required at creation, unless its schema has a default. `kept` is the schema of the stored form,
 * without the request limits.
 */
export const field = <I extends z.ZodType, K extends z.ZodType, const O extends Options = object>(
  input: I,
  kept: K,
  options = {} as O,
) => ({ create: input, update: undefaulted(input), kept, by: 'caller' as const, otherwise: undefined, options });

/** An enumeration or flag, stored as sent in the request. */
export const value = <I extends z.ZodType, const O extends Options = object>(input: I, options = {} as O) =>
  field(input, undefaulted(input), options);

/** A field that is optional at creation. `otherwise` is the default value to store. */
export const optional = <I extends z.ZodType, K extends z.ZodType, const O extends Options = object>(
  input: I,
  kept: K,
  otherwise: z.output<K>,
  options = {} as O,
) => ({ create: z.exactOptional(input), update: input, kept, by: 'caller' as const, otherwise, options });

export const text = <I extends z.ZodType<string>, const O extends Options = object>(input: I, options = {} as O) =>
  field(input, z.string(), options);
/** Optional text, stored as null if it is omitted. */
export const optionalText = <I extends z.ZodType<string>, const O extends Options = object>(
  input: I,
  options = {} as O,
) => optional(input.nullable(), z.string().nullable(), null, options);

/** A field that the service sets at creation. */
export const system = <K extends z.ZodType, const O extends Options = object>(kept: K, options = {} as O) => ({
  ...field(kept, kept, options),
  by: 'system' as const,
});
/** A field that exists only in views. It is derived from events after the record's creation. */
export const derived = <K extends z.ZodType, const O extends Options = object>(shown: K, options = {} as O) => ({
  ...field(shown, shown, options),
  by: 'derived' as const,
});

type Fixed = { readonly options: { readonly fixed: true } };
type Apart = { readonly options: { readonly apart: true } };
type FromCaller<F extends Fields> = { [N in keyof F]: F[N]['by'] extends 'caller' ? N : never }[keyof F];
type Editable<F extends Fields> = { [N in FromCaller<F>]: F[N] extends Fixed ? never : N }[FromCaller<F>];
type Changing<F extends Fields> = { [N in Editable<F>]: F[N] extends Apart ? never : N }[Editable<F>];
type Stored<F extends Fields> = { [N in keyof F]: F[N]['by'] extends 'derived' ? never : N }[keyof F];
type Public<F extends Fields> = {
  [N in keyof F]: F[N]['options'] extends { readonly published: true | z.ZodType } ? N : never;
}[keyof F];
type Omittable<F extends Fields> = {
  [N in FromCaller<F>]: F[N]['create'] extends z.ZodExactOptional ? N : never;
}[FromCaller<F>];
type ShownBy<X extends Field> = X['options'] extends { readonly shown: infer S extends z.ZodType } ? S : X['kept'];
type PublishedBy<X extends Field> = X['options'] extends { readonly published: infer S extends z.ZodType }
  ? S
  : X['kept'];

export type CreateShape<F extends Fields> = { [N in FromCaller<F>]: F[N]['create'] };
export type UpdateShape<F extends Fields> = { [N in Editable<F>]: z.ZodExactOptional<F[N]['update']> };
export type StoredShape<F extends Fields> = { [N in Stored<F>]: F[N]['kept'] };
export type ChangesShape<F extends Fields> = { [N in Changing<F>]: F[N]['kept'] };
export type ShownShape<F extends Fields> = { [N in keyof F]: ShownBy<F[N]> };
export type PublishedShape<F extends Fields> = { [N in Public<F>]: PublishedBy<F[N]> };
export type PublishedChangesShape<F extends Fields> = { [N in Extract<Public<F>, Editable<F>>]: PublishedBy<F[N]> };
export type Otherwise<F extends Fields> = { readonly [N in Omittable<F>]: z.output<F[N]['kept']> };

export type RecordShapes<F extends Fields> = {
  readonly fields: F;
  readonly create: CreateShape<F>;
  /** Fields of an update request. All are optional. */
  readonly update: UpdateShape<F>;
  /** Data of the Created event. */
  readonly stored: StoredShape<F>;
  /** Fields that an Updated event may change. States include them directly, whereas events wrap them in `someOf`. */
  readonly changes: ChangesShape<F>;
  /** Fields of API responses, in addition to the id, times and revision. */
  readonly shown: ShownShape<F>;
  /** Fields of integration events for new and changed records. */
  readonly published: PublishedShape<F>;
  readonly publishedChanges: PublishedChangesShape<F>;
  /** Values stored for fields omitted at creation. */
  readonly otherwise: Otherwise<F>;
};

const markedAs = ({ kept, options }: Field): z.ZodType => (options.personal ? personal(kept) : kept);
const shownAs = ({ kept, options: { shown = kept, description } }: Field): z.ZodType =>
  description === undefined ? shown : shown.meta({ description });
const publishedAs = (one: Field): z.ZodType =>
  one.options.published instanceof z.ZodType ? one.options.published : markedAs(one);

const isFromCaller = ({ by }: Field): boolean => by === 'caller';
const isEditable = (one: Field): boolean => isFromCaller(one) && !one.options.fixed;
const isPublished = ({ options }: Field): boolean => options.published !== undefined;

export function record<F extends Fields>(fields: F): RecordShapes<F> {
  const pick = (isMeant: (one: Field) => boolean, use: (one: Field) => unknown) =>
    Object.fromEntries(
      Object.entries<Field>(fields)
        .filter(([, one]) => isMeant(one))
        .map(([name, one]) => [name, use(one)]),
    );
  const shapes = {
    fields,
    create: pick(isFromCaller, ({ create }) => create),
    update: pick(isEditable, ({ update }) => z.exactOptional(update)),
    stored: pick(({ by }) => by !== 'derived', markedAs),
    changes: pick((one) => isEditable(one) && !one.options.apart, markedAs),
    shown: pick(() => true, shownAs),
    published: pick(isPublished, publishedAs),
    publishedChanges: pick((one) => isPublished(one) && isEditable(one), publishedAs),
    otherwise: pick(
      ({ create }) => create instanceof z.ZodExactOptional,
      ({ otherwise }) => otherwise,
    ),
  };
  // The types above describe exactly the results of these functions for each field.
  return shapes as unknown as RecordShapes<F>;
}

/** Schema of a request body. `id` is the schema's name in the OpenAPI document. */
export const input = <S extends z.ZodRawShape>(id: string, shape: S) => z.strictObject(shape).meta({ id });

export type ChangesTo<R extends { readonly changes: z.ZodRawShape }> = z.output<z.ZodObject<R['changes']>>;

type Unchangeable<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;

export type ViewOf<F extends Fields> = { readonly id: string } & {
  readonly [N in keyof F]: Unchangeable<z.output<ShownBy<F[N]>>>;
} & { readonly createdAt: string; readonly updatedAt: string; readonly revision: number };
