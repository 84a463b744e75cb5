import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import type { AnyTable, ReadStore, WriteBatch, WriteResult } from '../../src/ports/read-store.js';

/** A held call. `reached` resolves when the call arrives. */
type Held = { readonly reached: Promise<void>; readonly release: () => void };

type HeldKind = 'write' | 'prepare' | 'cutover';
const keyOf = (kind: HeldKind, model: string, generation: number): string => `${kind} ${model} ${generation}`;

/**
 * A real read store that a test can make unavailable. It can also lose responses, or store only part of a batch, as a
 * cluster without transactions might.
 */
export class FaultyReadStore implements ReadStore {
  /** While true, every call is rejected. */
  away = false;
  /**
   * Number of tables that the next write stores completely before it fails. It also stores half of the next table's
   * documents.
   */
  tearAfterTables: number | undefined;
  /** If true, the next write is stored, but appears to fail. */
  loseNextAnswer = false;
  /** If true, the next generation goes live, but the call appears to fail. */
  loseNextSwap = false;

  /** Number of checkpoint reads that succeed before later ones fail. */
  checkpointReadsLeft = Number.POSITIVE_INFINITY;
  /** Delays of the next loads and writes, in event-loop turns. Later calls are not delayed. */
  delays: number[] = [];
  /** Number of writes so far. */
  writes = 0;
  /** What the next calls of some kinds wait for, by kind, model and generation. */
  private readonly held = new Map<string, () => Promise<void>>();

  constructor(readonly inner: ReadStore) {}

  /** Holds the next write to a model's table before it is stored. */
  holdWriteTo(model: string, generation = 1): Held {
    return this.hold('write', model, generation);
  }

  /** Holds the next call that writes to a table, prepares it or makes it live, before the call has an effect. */
  hold(kind: HeldKind, model: string, generation: number): Held {
    let release: () => void = () => undefined;
    let reached: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (reached = resolve));
    const departure = new Promise<void>((resolve) => (release = resolve));
    const key = keyOf(kind, model, generation);
    this.held.set(key, () => {
      this.held.delete(key);
      reached();
      return departure;
    });
    return { reached: arrival, release };
  }

  async prepare(tables: readonly AnyTable[], options?: { readonly bulk?: boolean }): Promise<void> {
    for (const { model, generation } of tables) await this.wait('prepare', model.name, generation);
    return this.inner.prepare(tables, options);
  }
  index(table: AnyTable): Promise<void> {
    return this.inner.index(table);
  }
  drop(table: AnyTable): Promise<void> {
    return this.inner.drop(table);
  }

  async write(batch: WriteBatch): Promise<WriteResult> {
    this.writes += 1;
    await this.delay();
    for (const { table } of batch.tables) await this.wait('write', table.model.name, table.generation);
    this.refuseWhileAway();
    if (this.tearAfterTables !== undefined) await this.tear(batch, this.tearAfterTables);
    const result = await this.inner.write(batch);
    if (!this.loseNextAnswer) return result;
    this.loseNextAnswer = false;
    throw new ReadStoreUnavailable('The line broke before the answer');
  }

  private async tear({ tables }: WriteBatch, whole: number): Promise<never> {
    this.tearAfterTables = undefined;
    for (const [index, { table, writes }] of tables.slice(0, whole + 1).entries()) {
      const some = index < whole ? writes : writes.slice(0, Math.ceil(writes.length / 2));
      await this.inner.write({ tables: [{ table, writes: some }], checkpoints: [] });
    }
    throw new ReadStoreUnavailable('The line broke within the batch');
  }

  load: ReadStore['load'] = async (table, keys) => {
    await this.delay();
    this.refuseWhileAway();
    return this.inner.load(table, keys);
  };
  purge: ReadStore['purge'] = async (table, keys) => {
    this.refuseWhileAway();
    return this.inner.purge(table, keys);
  };
  get: ReadStore['get'] = async (table, scope, id) => {
    this.refuseWhileAway();
    return this.inner.get(table, scope, id);
  };
  getMany: ReadStore['getMany'] = async (table, scope, ids) => {
    this.refuseWhileAway();
    return this.inner.getMany(table, scope, ids);
  };
  list: ReadStore['list'] = async (table, scope, query) => {
    this.refuseWhileAway();
    return this.inner.list(table, scope, query);
  };
  scan: ReadStore['scan'] = (table) => this.inner.scan(table);
  checkpoint: ReadStore['checkpoint'] = async (key) => {
    this.refuseWhileAway();
    this.checkpointReadsLeft -= 1;
    if (this.checkpointReadsLeft < 0) throw new ReadStoreUnavailable('The read store has just gone away');
    return this.inner.checkpoint(key);
  };
  checkpoints: ReadStore['checkpoints'] = (keys) => Promise.all(keys.map((key) => this.checkpoint(key)));
  liveGeneration: ReadStore['liveGeneration'] = (model, version) => this.inner.liveGeneration(model, version);
  setLiveGeneration: ReadStore['setLiveGeneration'] = async (model, version, generation) => {
    await this.wait('cutover', model, generation);
    await this.inner.setLiveGeneration(model, version, generation);
    if (!this.loseNextSwap) return;
    this.loseNextSwap = false;
    throw new ReadStoreUnavailable('The line broke before the answer');
  };

  facts: ReadStore['facts'] = async () => {
    this.refuseWhileAway();
    return this.inner.facts();
  };

  close(): Promise<void> {
    return this.inner.close();
  }

  private async wait(kind: HeldKind, model: string, generation: number): Promise<void> {
    await this.held.get(keyOf(kind, model, generation))?.();
  }

  private async delay(): Promise<void> {
    for (let turns = this.delays.shift() ?? 0; turns > 0; turns -= 1) await nextTurn();
  }

  private refuseWhileAway(): void {
    if (this.away) throw new ReadStoreUnavailable('The read store is away');
  }
}
