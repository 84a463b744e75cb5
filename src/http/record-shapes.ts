import { z } from 'zod';
import type { Field, Fields, RecordShapes, ShownShape } from '../aggregates/record.js';
import { idInput, queryBoolean, searchInput } from './input.js';
import { named, recordFields } from './shapes.js';

type Shown<F extends Fields> = Pick<RecordShapes<F>, 'shown'>;
type Dto<F extends Fields> = typeof recordFields & ShownShape<F>;

/** Creates the API schema of a declared record. `more` contains additional response fields. */
export function recordDto<F extends Fields>(name: string, record: Shown<F>): z.ZodObject<Dto<F>>;
export function recordDto<F extends Fields, More extends z.ZodRawShape>(
  name: string,
  record: Shown<F>,
  more: More,
): z.ZodObject<Dto<F> & More>;
export function recordDto(name: string, { shown }: { readonly shown: z.ZodRawShape }, more: z.ZodRawShape = {}) {
  return named(name, z.object({ ...recordFields, ...shown, ...more }));
}

type ParameterOf<S extends z.ZodType> = S extends z.ZodBoolean
  ? typeof queryBoolean
  : S extends z.ZodString
    ? typeof idInput
    : S;
type ParametersOf<F extends Fields> = {
  [N in keyof F as F[N]['options'] extends { readonly filter: 'list' } ? N : never]: z.ZodExactOptional<
    ParameterOf<F[N]['kept']>
  >;
};

function parameterOf({ kept }: Field): z.ZodType {
  if (kept instanceof z.ZodBoolean) return queryBoolean;
  return kept instanceof z.ZodString ? idInput : kept;
}

/** Query parameters of a list: `own` (its paging), a search, and the filters declared by the record. */
export function listQueryOf<F extends Fields, Own extends z.ZodRawShape>(
  { fields }: Pick<RecordShapes<F>, 'fields'>,
  own: Own,
) {
  const filters = Object.entries<Field>(fields).filter(([, { options }]) => options.filter === 'list');
  const parameters = Object.fromEntries(filters.map(([name, one]) => [name, z.exactOptional(parameterOf(one))]));
  return z.strictObject({ ...own, search: searchInput.exactOptional(), ...(parameters as ParametersOf<F>) });
}
