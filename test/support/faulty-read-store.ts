import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import type { AnyTable, ReadStore, WriteBatch, WriteResult } from '../../src/ports/read-store.js';

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
  private held:
    | {
        readonly model: string;
        readonly generation: number;
        readonly release: Promise<void>;
        readonly reached: () => void;
      }
    | undefined;

  constructor(readonly inner: ReadStore) {}

  /** Holds the next write to a model's table before it is stored. */
  holdWriteTo(model: string, generation = 1): { readonly reached: Promise<void>; readonly release: () => void } {
    let release: () => void = () => undefined;
    let reached: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (reached = resolve));
    this.held = { model, generation, reached, release: new Promise<void>((resolve) => (release = resolve)) };
    return { reached: arrival, release };
  }

  prepare(tables: readonly AnyTable[], options?: { readonly bulk?: boolean }): Promise<void> {
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
    const { held } = this;
    if (
      held &&
      batch.tables.some(
        ({ table: { model, generation } }) => model.name === held.model && generation === held.generation,
      )
    ) {
      this.held = undefined;
      held.reached();
      await held.release;
    }
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

  private async delay(): Promise<void> {
    for (let turns = this.delays.shift() ?? 0; turns > 0; turns -= 1) await nextTurn();
  }

  private refuseWhileAway(): void {
    if (this.away) throw new ReadStoreUnavailable('The read store is away');
  }
}
