import { Inject, Injectable } from '@nestjs/common';
import type { Recorded } from '../platform/event-catalogue.js';
import { streamName } from '../platform/stream-name.js';
import type { AuditLogView } from '../projections/audit-log.projection.js';
import { RecordShape, type Shape } from './record-shape.js';
import { StreamHistory } from './stream-history.js';

/** One member of a record that an event changed; null where it was not there, or is not there any more. */
export type Change = { readonly path: string; readonly before: unknown; readonly after: unknown };

type Moment = { readonly view: Shape; readonly own: object };

/** What events changed, folded from the records' own histories. */
@Injectable()
export class RecordChanges {
  constructor(@Inject(StreamHistory) private readonly history: StreamHistory) {}

  /** Reads the stream up to the entry's event, page by page; nothing of it is kept. Secrets are left out. */
  async of({ tenantId, carrier, entity, entityId, revision }: AuditLogView): Promise<readonly Change[]> {
    const told = carrier ?? { entity, recordId: entityId };
    const stream = streamName(told.entity, tenantId, told.recordId);
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
 * The difference that the record's reader sees. What no read model shows is told by the state that decisions see; and
 * what that does not keep either (a sale's lines, what a job was asked for) by the event itself.
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

/** Members that differ, by path; an absent one is as good as null. */
export function difference(before: Shape, after: Shape): Change[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, before: old.get(path) ?? null, after: now.get(path) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .filter(({ path }) => !isEmptied(path, old, now) && !isEmptied(path, now, old));
}

/** An empty list or record where the other side has members: these tell it already. */
const isEmptied = (path: string, one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean =>
  isContainer(one.get(path)) &&
  !other.has(path) &&
  [...other.keys()].some((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`));

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Scalars, lists of scalars and what is empty, by path: `address`, `permissions`, `lines[0].quantity`. */
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

/** None where the list is told as a whole. */
const itemsOf = (list: readonly unknown[], path: string): (readonly [string, unknown])[] =>
  list.some(isContainer) ? list.map((each, at) => [`${path}[${at}]`, each]) : [];
const membersOf = (value: unknown, path: string): (readonly [string, unknown])[] =>
  isContainer(value) ? Object.entries(value).map(([name, each]) => [path === '' ? name : `${path}.${name}`, each]) : [];
