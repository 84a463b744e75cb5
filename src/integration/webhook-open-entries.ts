import type { Position } from '../ports/event-store.js';
import type { Entry } from './webhook-entries.js';

/**
 * Maximum number of open events whose first attempt is pending or in progress. Beyond this limit, the lane reads further
 * events from the history once there is room.
 */
export const MAX_FIRST = 256;
/**
 * Maximum number of all open events. About as many failed deliveries fit in the delivery log. The entries are stored as
 * one document of up to 700 KB, four times a second; MongoDB accepts documents of up to 16 MiB.
 */
export const MAX_OPEN = 1_280;

/** The open entries of one record. */
type OfRecord = { readonly entries: Set<Entry>; readonly failed: Set<Entry> };

/**
 * The open entries of one webhook. Failed entries and later entries of their records are held: they wait for a retry
 * and must not prevent the webhook from taking events of other records.
 */
export class OpenEntries {
  private readonly entries = new Set<Entry>();
  /** Positions of the entries, excluding resends. */
  private readonly taken = new Set<Position>();
  private readonly records = new Map<string, OfRecord>();
  private readonly held = new Set<Entry>();

  get positions(): ReadonlySet<Position> {
    return this.taken;
  }

  /** Number of entries for which there is room. */
  get room(): number {
    const { size } = this.entries;
    return Math.max(0, Math.min(MAX_FIRST - (size - this.held.size), MAX_OPEN - size));
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.entries.values();
  }

  /** Returns false if an entry for the same event is already open. */
  add(entry: Entry): boolean {
    if (entry.kind !== 'resend') {
      if (this.taken.has(entry.position)) return false;
      this.taken.add(entry.position);
    }
    this.entries.add(entry);
    for (const key of keysOf(entry)) {
      const record = this.records.get(key) ?? { entries: new Set(), failed: new Set() };
      this.records.set(key, record);
      record.entries.add(entry);
    }
    this.hold(entry);
    this.update(entry);
    return true;
  }

  /** Must be called after an attempt, because it may have failed. */
  update(entry: Entry): void {
    for (const record of this.recordsOf(entry)) {
      const hasFailed = entry.failedAtMs !== null;
      if (hasFailed === record.failed.has(entry)) continue;
      if (hasFailed) record.failed.add(entry);
      else record.failed.delete(entry);
      for (const each of record.entries) this.hold(each);
    }
  }

  delete(entry: Entry): void {
    if (entry.kind !== 'resend') this.taken.delete(entry.position);
    this.entries.delete(entry);
    this.held.delete(entry);
    for (const key of keysOf(entry)) this.forget(key, entry);
  }

  private forget(key: string, entry: Entry): void {
    const record = this.records.get(key);
    if (!record) return;
    record.entries.delete(entry);
    if (record.entries.size === 0) this.records.delete(key);
    if (record.failed.delete(entry)) for (const each of record.entries) this.hold(each);
  }

  private hold(entry: Entry): void {
    if (this.recordsOf(entry).some(({ failed }) => failed.size > 0)) {
      this.held.add(entry);
      // The event is read again for the next attempt, so that the entries need little memory.
      entry.event = undefined;
    } else this.held.delete(entry);
  }

  private recordsOf(entry: Entry): OfRecord[] {
    return keysOf(entry).flatMap((key) => this.records.get(key) ?? []);
  }
}

const keysOf = ({ stream, also }: Entry): readonly string[] => (also === null ? [stream] : [stream, also]);
