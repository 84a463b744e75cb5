import { Inject, Injectable } from '@nestjs/common';
import { tenant } from '../aggregates/tenant.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import type { AuditLogView } from '../projections/audit-log.projection.js';
import { RecordShape, type Shape } from './record-shape.js';
import { StreamHistory } from './stream-history.js';

/** A member of a record before and after an event; null if absent. */
export type Change = { readonly path: string; readonly before: unknown; readonly after: unknown };

type Moment = { readonly view: Shape; readonly own: object };

/** Changes made by events, folded from the records' own streams. */
@Injectable()
export class RecordChanges {
  constructor(@Inject(StreamHistory) private readonly history: StreamHistory) {}

  /** Reads the stream page by page up to the entry's event, without retaining it. Secrets are omitted. */
  async of({ tenantId, carrier, entity, entityId, revision }: AuditLogView): Promise<readonly Change[]> {
    const told = carrier ?? { entity, recordId: entityId };
    const home = told.entity === tenant.name ? PLATFORM_TENANT : tenantId;
    const stream = streamName(told.entity, home, told.recordId);
    const shape = new RecordShape(this.history.aggregateOf(stream), { carrier: told, entity, entityId });
    const secrets = this.history.secretsOf(stream);
    for await (const event of this.history.each(stream)) {
      const decoded = this.history.decode(event);
      if (decoded) secrets.learn(decoded);
      if (event.revision === revision && decoded) {
        const before = momentOf(shape);
        shape.apply(decoded);
        return changesBy(
          { ...decoded, data: secrets.without(decoded.data) },
          secrets.without(before),
          secrets.without(momentOf(shape)),
        );
      }
      if (event.revision >= revision) break;
      if (decoded) shape.apply(decoded);
    }
    return [];
  }
}

const momentOf = (shape: RecordShape): Moment => ({ view: shape.view(), own: shape.own() });

/**
 * The difference visible to readers of the record. Changes that no read model shows come from the aggregate's state;
 * those that it lacks too (a sale's lines, a job's parameters) come from the event.
 */
function changesBy(event: Recorded, before: Moment, after: Moment): readonly Change[] {
  const seen = difference(before.view, after.view);
  if (seen.length > 0) return seen;
  const own = difference(before.own, after.own);
  const isToldByEvent = own.length === 0 || event.entity === 'sale' || event.audit?.action !== 'UPDATE';
  return isToldByEvent ? [...own, ...toldBy(event.data, own, after.own)] : own;
}

function toldBy(data: object, changes: readonly Change[], after: object): Change[] {
  const paths = new Set(changes.map(({ path }) => path));
  const kept = leavesOf(after);
  const isNew = ([path, value]: readonly [string, unknown]): boolean =>
    value !== null && !paths.has(path) && JSON.stringify(kept.get(path)) !== JSON.stringify(value);
  return [...leavesOf(data)].filter(isNew).map(([path, value]) => ({ path, before: null, after: value }));
}

/** Members that differ, by path. Absent equals null. */
export function difference(before: Shape, after: Shape): Change[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, before: old.get(path) ?? null, after: now.get(path) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .filter(({ path }) => !isEmptied(path, old, now) && !isEmptied(path, now, old));
}

/** An empty list or record is redundant if the other side's members are listed. */
const isEmptied = (path: string, one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean =>
  isContainer(one.get(path)) &&
  !other.has(path) &&
  [...other.keys()].some((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`));

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Scalars, lists of scalars and empty containers by path: `address`, `permissions`, `lines[0].quantity`. */
function leavesOf(value: Shape): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  if (value !== undefined) collect(value, '', leaves);
  return leaves;
}

function collect(value: unknown, path: string, leaves: Map<string, unknown>): void {
  const inside = Array.isArray(value) ? itemsOf(value, path) : membersOf(value, path);
  if (inside.length === 0 && path !== '') leaves.set(path, value);
  for (const [name, each] of inside) if (each !== undefined) collect(each, name, leaves);
}

/** Empty for a list of scalars, which is compared as a whole. */
const itemsOf = (list: readonly unknown[], path: string): (readonly [string, unknown])[] =>
  list.some(isContainer) ? list.map((each, at) => [`${path}[${at}]`, each]) : [];
const membersOf = (value: unknown, path: string): (readonly [string, unknown])[] =>
  isContainer(value) ? Object.entries(value).map(([name, each]) => [path === '' ? name : `${path}.${name}`, each]) : [];
