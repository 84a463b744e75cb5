import { z } from 'zod';
import { CurrencyText, PublicAmount, PublicDate, PublicId } from '../aggregates/fields.js';

/** CloudEvents 1.0 in JSON (https://github.com/cloudevents/spec), with Kontor's extension attributes. */
export type CloudEvent = {
  readonly specversion: '1.0';
  /** Identical for every publication of the same fact. Consumers use the id for deduplication. */
  readonly id: string;
  readonly source: string;
  /** `kontor.<entity>.<event>.v<version>` */
  readonly type: string;
  /** The record's id. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly tenantid: string;
  /**
   * The event's revision in its stream. Consecutive published events may have a gap in this number, because some events
   * are not public or are parked.
   */
  readonly sequence: string;
  readonly data: object;
  /** Set for a replay, a rewind or a late retry, because the event may have been published before. */
  readonly replayed?: true;
};

/** A fact published to partners, with its broker subject. */
export type IntegrationEvent = {
  /** `kontor.<tenantId>.<entity>.<event>` */
  readonly subject: string;
  readonly event: CloudEvent;
};

// Field types of integration events. The published record fields are picked from the record declarations. A published
// field must be kept even if the domain events change.

/** An integration event type. Fields may only be added. Any other change requires an additional, new version. */
export type Contract<Data extends z.ZodObject = z.ZodObject> = {
  readonly entity: string;
  readonly event: string;
  /** States when the event occurs and identifies its subject. */
  readonly description: string;
  /** The data that partners may see. Fields that are not declared here are never published. */
  readonly data: Data;
  readonly example: z.output<Data>;
};

export const contract = <Data extends z.ZodObject>(
  entity: string,
  event: string,
  given: Pick<Contract<Data>, 'description' | 'data' | 'example'>,
): Contract<Data> => ({ entity, event, ...given });

/** A contract without data. */
export const occasion = (entity: string, event: string, description: string) =>
  contract(entity, event, { description, data: z.strictObject({}), example: {} });

export const id = PublicId;
export const optionalId = id.nullable();
export const text = z.string();
export const optionalText = z.string().nullable();
export const amount = PublicAmount;
export const currency = CurrencyText;
export const date = PublicDate;
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'UTC, with milliseconds.' });

/** Returns a schema with the same fields, all optional because unchanged fields are absent. */
export const changesOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(
      Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, z.exactOptional(field)])) as {
        [K in keyof Shape]: z.ZodExactOptional<Shape[K]>;
      },
    )
    .meta({ description: 'The changed fields with their new values.' });

/** A fixed id for use in example events. */
export const exampleId = (digit: number): string => `0199d3a0-0000-7000-8000-00000000000${digit}`;

type Copy = (value: unknown) => unknown;
const asItIs: Copy = (value) => value;

const copies = new WeakMap<z.ZodType, Copy>();

/** Copies only the members that the schema declares, at every depth. Does not validate their values. */
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
