import { z } from 'zod';
import type { EventDeclarations } from '../eventsourcing/aggregate.js';

/**
 * Redacts secrets. Collects the values that a stream's events mark as `secret`, and removes them wherever they occur in
 * displayed data. Therefore, only events need marks, and a projection or aggregate cannot leak a secret that it copies.
 */
export class Secrets {
  private readonly values = new Set<string>();

  constructor(private readonly declarations: EventDeclarations) {}

  /** Collects the secret values of an event. Ignores undeclared event types, which have no marks. */
  learn({ type, data }: { readonly type: string; readonly data: unknown }): void {
    const schema = this.declarations[type]?.schema;
    if (schema && holdsSecrets(schema)) for (const value of markedIn(schema, data)) this.values.add(value);
  }

  /**
   * Returns a copy of `shown` without members, items and keys that equal a secret. Returns `shown` itself if there are
   * no secrets.
   */
  without<T>(shown: T): T {
    return this.values.size === 0 ? shown : (this.copy(shown) as T);
  }

  private copy(value: unknown): unknown {
    if (typeof value === 'string') return this.values.has(value) ? undefined : value;
    if (Array.isArray(value)) return value.map((each) => this.copy(each)).filter((each) => each !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value)
      .filter(([name]) => !this.values.has(name))
      .map(([name, each]) => [name, this.copy(each)] as const)
      .filter(([, each]) => each !== undefined);
    return Object.fromEntries(members);
  }
}

const isMarked = (schema: z.ZodType): boolean => schema.meta()?.['secret'] === true;

/** A directly nested schema, with the parts of the value that it describes. */
type Inside = readonly [z.ZodType, readonly unknown[]];
type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const each = (schemas: readonly unknown[], value: unknown): Inside[] =>
  schemas.map((schema) => [schema as z.ZodType, [value]]);

/**
 * Returns the schemas nested in a zod definition. Kinds of schemas that are not listed here contain no other schemas.
 */
function insideOf({ def }: z.ZodType, value: unknown): Inside[] {
  const parts = def as unknown as Members;
  switch (def.type) {
    case 'object':
      return Object.entries(parts['shape'] as Record<string, z.ZodType>).map(([name, field]) => [
        field,
        [membersOf(value)[name]],
      ]);
    case 'array':
      return [[parts['element'] as z.ZodType, itemsOf(value)]];
    case 'record':
      return [[parts['valueType'] as z.ZodType, Object.values(membersOf(value))]];
    case 'union':
      return each(parts['options'] as unknown[], value);
    case 'tuple':
      return (parts['items'] as z.ZodType[]).map((item, at) => [item, [itemsOf(value)[at]]]);
    case 'pipe':
      return each([parts['in'], parts['out']], value);
    case 'intersection':
      return each([parts['left'], parts['right']], value);
    default:
      return 'innerType' in parts ? each([parts['innerType']], value) : [];
  }
}

const known = new WeakMap<z.ZodType, boolean>();
function holdsSecrets(schema: z.ZodType): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const found = isMarked(schema) || insideOf(schema, undefined).some(([inside]) => holdsSecrets(inside));
  known.set(schema, found);
  return found;
}

function markedIn(schema: z.ZodType, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (isMarked(schema)) return textsIn(value);
  return insideOf(schema, value).flatMap(([inside, parts]) => parts.flatMap((part) => markedIn(inside, part)));
}

/** Ignores empty strings, which are not secret and occur everywhere. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
