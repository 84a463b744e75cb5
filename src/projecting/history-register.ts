import type { Position } from '../ports/event-store.js';
import { PLATFORM, type AnyTable, type ReadModel, type ReadStore, type StoredDocument } from '../ports/read-store.js';

/** An event that identifies a history. A copy that has diverged has a different event at this position. */
export type Anchor = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
};

/** The data that a read store records about a history. */
export type HistoryEntry = {
  /** Prefix of all tables and checkpoints of the history; '' for the first history of a read store. */
  readonly space: string;
  /**
   * Position of the last event when the read store first saw the history. Null if the history was empty or the read
   * models were adopted. A forwarder that starts from the beginning would resend every event up to and including this
   * position.
   */
  readonly foundAt: Position | null;
  /** The last event, updated about once a second. Null before the first event. */
  readonly anchor: Anchor | null;
  /** The history's tables are being removed or have been removed. */
  readonly isDropped?: true;
};

/** Owner of the unprefixed tables; null if unknown. */
type Owner = { readonly historyId: string | null };

const register: ReadModel<HistoryEntry | Owner> = {
  name: 'histories',
  version: 1,
  fields: { space: { type: 'text', of: (doc) => ('space' in doc ? doc.space : null) } },
  filters: [],
  order: { fields: ['space'], direction: 'ascending' },
};
/** The histories that a read store has seen. The register itself belongs to no history and is never rebuilt. */
export const REGISTER_TABLE: AnyTable = { model: register, generation: 1 };

const OWNER = 'owner';
/** Placeholder for the id of an unidentified history. */
const UNKNOWN = 'unknown';

/** An entry as read from the store. It is replaced only if its `version` is unchanged. */
export type Found = { readonly id: string; readonly entry: HistoryEntry; readonly version: number };

/** A read store's register. Replicas share it, so every write is conditional. @throws ReadStoreUnavailable */
export class HistoryRegister {
  constructor(private readonly store: Pick<ReadStore, 'load' | 'prepare' | 'scan' | 'write'>) {}

  prepare(): Promise<void> {
    return this.store.prepare([REGISTER_TABLE]);
  }

  async find(id: string): Promise<Found | undefined> {
    return found(id, await this.load(id));
  }

  /** Returns all other histories whose tables may still exist. */
  async others(historyId: string): Promise<readonly Found[]> {
    const others: Found[] = [];
    for await (const { id, ...stored } of this.store.scan(REGISTER_TABLE)) {
      const one = id === OWNER || id === historyId ? undefined : found(id, stored);
      if (one && !one.entry.isDropped) others.push(one);
    }
    return others;
  }

  /** Adds an entry, or replaces the given version. Returns false if another process wrote the entry first. */
  async put(id: string, entry: HistoryEntry | Owner, version?: number): Promise<boolean> {
    const write = { scope: PLATFORM, id, document: entry, position: (version ?? 0) + 1, expected: version ?? null };
    const tables = [{ table: REGISTER_TABLE, writes: [write] }];
    return (await this.store.write({ tables, checkpoints: [] })).conflicts.length === 0;
  }

  /** Returns undefined until a process has claimed the unprefixed tables. */
  async owner(): Promise<Owner | undefined> {
    return found(OWNER, await this.load(OWNER))?.entry;
  }

  /**
   * Claims the unprefixed tables. Null means that no history uses them. Returns false if another process claimed them
   * first.
   */
  async claim(historyId: string | null): Promise<boolean> {
    if (historyId === null) await this.put(UNKNOWN, { space: '', foundAt: null, anchor: null });
    return this.put(OWNER, { historyId });
  }

  private async load(id: string): Promise<StoredDocument | undefined> {
    return (await this.store.load(REGISTER_TABLE, [{ scope: PLATFORM, id }]))[0];
  }
}

const found = (id: string, stored: StoredDocument | undefined) =>
  stored?.json ? { id, entry: JSON.parse(stored.json) as HistoryEntry & Owner, version: stored.position } : undefined;

/**
 * Returns the position of the last event when the read store first saw this history; null if the history was empty. A
 * forwarder without a checkpoint would republish every event up to and including that position. The operator of a
 * restored service may not want these repeats.
 */
export async function foundAt(store: ReadStore, historyId: string): Promise<Position | null> {
  return (await new HistoryRegister(store).find(historyId))?.entry.foundAt ?? null;
}
