// Names shown in the audit log and in the list of events: event fields and kinds of records.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import * as aggregates from '../../src/app/aggregates.js';

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** Adds the names of all members that a JSON schema describes. */
function collect(schema: unknown, names: Set<string>): void {
  if (Array.isArray(schema)) for (const each of schema) collect(each, names);
  else if (isSchema(schema)) {
    const { properties, items, anyOf, oneOf, allOf, additionalProperties } = schema;
    for (const [name, member] of Object.entries(properties ?? {})) {
      names.add(name);
      collect(member, names);
    }
    for (const part of [items, anyOf, oneOf, allOf, additionalProperties]) collect(part, names);
  }
}

/** Record fields that no event contains. */
const STATE_ONLY = ['createdBy', 'isCancelled'];

/** Returns the names of the fields that audit-log entries show: those in all audited events and in record states. */
export function auditedFields(): string[] {
  const names = new Set(STATE_ONLY);
  for (const { events } of Object.values(aggregates))
    for (const { schema, audit } of Object.values(events))
      if (audit !== null) collect(z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline' }), names);
  return [...names].sort();
}

/** Returns the kinds of records that have events. */
export const recordKinds = (): string[] =>
  Object.values(aggregates)
    .map(({ name }) => name)
    .sort();

const WORDS = join(import.meta.dirname, '..', '..', 'console', 'src', 'parts', 'audit-words.tsx');

/** Returns the kinds of records that have a display name in the console. */
export const namedKinds = (): string[] =>
  [...readFileSync(WORDS, 'utf8').matchAll(/^ {2}\['([a-z-]+)', t\('/gm)].map(([, kind = '']) => kind).sort();
