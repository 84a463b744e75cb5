import { z } from 'zod';

type Copy = (value: unknown) => unknown;
const asItIs: Copy = (value) => value;

const copies = new WeakMap<z.ZodType, Copy>();

/** Copies only the members that the schema declares, at every depth. Does not validate them. */
export function pickContractFields(schema: z.ZodObject, value: object): object {
  let copy = copies.get(schema);
  if (!copy) copies.set(schema, (copy = copyOf(schema)));
  return copy(value) as object;
}

function copyOf(schema: z.ZodType): Copy {
  if (schema instanceof z.ZodObject) return memberCopy(Object.entries<z.ZodType>(schema.shape));
  if (schema instanceof z.ZodArray) return listCopy(copyOf(schema.element as z.ZodType));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional)
    return copyOf(schema.unwrap() as z.ZodType);
  return asItIs;
}

function memberCopy(members: readonly (readonly [string, z.ZodType])[]): Copy {
  const named = members.map(([name, schema]) => [name, copyOf(schema)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const from = value as Record<string, unknown>;
    const to: Record<string, unknown> = {};
    for (const [name, copy] of named) if (Object.hasOwn(from, name)) to[name] = copy(from[name]);
    return to;
  };
}

const listCopy =
  (copy: Copy): Copy =>
  (value) =>
    copy === asItIs || !Array.isArray(value) ? value : value.map(copy);
