// Names shown in the audit log and in the list of events: event fields and kinds of records.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import * as aggregates from '../../src/app/aggregates.js';
import { catalogue } from '../../src/app/catalogue.js';
import { isAudited, subjectOf } from '../../src/eventsourcing/audit.js';
import { CLAIM_FENCED, type Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { RecordShape } from '../../src/queries/record-changes.js';
import { recordings } from './corpus.js';

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Adds the names of all members that a JSON schema describes. `name[]` is an item of a list of records. */
function collect(schema: unknown, names: Set<string>): void {
  if (Array.isArray(schema)) for (const each of schema) collect(each, names);
  else if (isObject(schema)) {
    const { properties, items, anyOf, oneOf, allOf, additionalProperties } = schema as Members;
    for (const [name, member] of Object.entries(properties ?? {})) {
      names.add(name);
      if (JSON.stringify((member as Members)['items'] ?? '').includes('"properties"')) names.add(`${name}[]`);
      collect(member, names);
    }
    for (const part of [items, anyOf, oneOf, allOf, additionalProperties]) collect(part, names);
  }
}

/** Matches the name of a field. Codes and ids, by which some records list their parts, do not match. */
const NAME = /^[a-z][A-Za-z0-9]*$/;

/** Adds the names of a record's fields. Partners choose the names in the metadata of their sales. */
function collectFrom(record: unknown, names: Set<string>): void {
  if (!isObject(record)) return;
  for (const [name, value] of Object.entries(record)) {
    if (NAME.test(name)) names.add(name);
    if (Array.isArray(value) && value.some(isObject)) names.add(`${name}[]`);
    if (name !== 'metadata') for (const each of Array.isArray(value) ? value : [value]) collectFrom(each, names);
  }
}

type Stream = readonly [Recorded, ...Recorded[]];

/** The streams of all recorded histories. Together they contain every event type. */
function recordedStreams(): Stream[] {
  const streams = new Map<string, [Recorded, ...Recorded[]]>();
  for (const { name, events } of recordings())
    for (const event of events) {
      const decoded = catalogue.decode({ ...event, position: event.revision, recordedAtMs: 0 });
      const stream = streams.get(`${name} ${event.stream}`);
      if (stream) stream.push(decoded);
      else streams.set(`${name} ${event.stream}`, [decoded]);
    }
  return [...streams.values()];
}

/** Adds the names of the fields in a stream's states, and in the records that its audit entries refer to. */
function collectFromStream(events: Stream, names: Set<string>): void {
  const [{ entity, recordId }] = events;
  const aggregate = catalogue.aggregateOf(entity);
  const subjects = new Map(
    events.filter(isAudited).map((event) => [JSON.stringify(subjectOf(event)), subjectOf(event)]),
  );
  if (!aggregate || subjects.size === 0) return;
  const shapes = [...subjects.values()].map(
    (subject) => new RecordShape(aggregate, { carrier: { entity, recordId }, ...subject }),
  );
  let state: unknown = aggregate.initial;
  for (const event of events) {
    if (event.type !== CLAIM_FENCED) state = aggregate.evolve(state, event);
    collectFrom(state, names);
    for (const shape of shapes) {
      shape.apply(event);
      collectFrom(shape.view(), names);
      collectFrom(shape.own(), names);
    }
  }
}

/** Filters of the list of events. An audit entry records which of them an operator used. */
const FILTERS = ['correlationId', 'to'];

/**
 * Returns the names of the fields that audit entries and record histories show, at any depth: those in all audited
 * events, in the records that these events change, and in the states of these records.
 */
export function auditedFields(): string[] {
  const names = new Set(FILTERS);
  for (const { events } of Object.values(aggregates))
    for (const { schema, audit } of Object.values(events))
      if (audit !== null) collect(z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline' }), names);
  for (const events of recordedStreams()) collectFromStream(events, names);
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
