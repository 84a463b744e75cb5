import type { AnyTable, ReadModel, ReadStore, WriteBatch, WriteResult } from '../ports/read-store.js';
import { REGISTER_TABLE } from './history-register.js';

/**
 * Provides the history's space. The space is read on every call, because it may not be known yet or may no longer be
 * usable.
 */
export type SpaceSource = { readonly space: string };

/**
 * A view of a read store, limited to one history. It prefixes table names and checkpoint keys with the history's space,
 * so data derived from another history can be neither read nor written.
 */
export class HistoryReadStore implements ReadStore {
  private readonly tables = new WeakMap<AnyTable, AnyTable>();
  private readonly models = new Map<ReadModel, ReadModel>();

  constructor(
    /** The underlying store, including other histories' data. */
    readonly whole: ReadStore,
    private readonly source: SpaceSource,
  ) {}

  get space(): string {
    return this.source.space;
  }

  // All methods are async, so that an unusable space causes a rejection instead of a synchronous throw.
  readonly prepare: ReadStore['prepare'] = async (tables, options) =>
    this.whole.prepare(
      tables.map((table) => this.own(table)),
      options,
    );
  readonly index: ReadStore['index'] = async (table) => this.whole.index(this.own(table));
  readonly drop: ReadStore['drop'] = async (table) => this.whole.drop(this.own(table));
  readonly load: ReadStore['load'] = async (table, keys) => this.whole.load(this.own(table), keys);
  readonly purge: ReadStore['purge'] = async (table, keys) => this.whole.purge(this.own(table), keys);
  readonly get: ReadStore['get'] = async (table, scope, id) => this.whole.get(this.own(table), scope, id);
  readonly getMany: ReadStore['getMany'] = async (table, scope, ids) => this.whole.getMany(this.own(table), scope, ids);
  readonly list: ReadStore['list'] = async (table, scope, query) => this.whole.list(this.own(table), scope, query);
  readonly checkpoint: ReadStore['checkpoint'] = async (key) => this.whole.checkpoint(this.space + key);
  readonly liveGeneration: ReadStore['liveGeneration'] = async (model, version) =>
    this.whole.liveGeneration(this.space + model, version);
  readonly setLiveGeneration: ReadStore['setLiveGeneration'] = async (model, version, generation) =>
    this.whole.setLiveGeneration(this.space + model, version, generation);
  readonly facts: ReadStore['facts'] = () => this.whole.facts();
  readonly fault: NonNullable<ReadStore['fault']> = () => this.whole.fault?.();
  readonly close: ReadStore['close'] = () => this.whole.close();

  async *scan(table: AnyTable): ReturnType<ReadStore['scan']> {
    yield* this.whole.scan(this.own(table));
  }

  async checkpoints(keys: readonly string[]): Promise<readonly number[]> {
    const { space } = this;
    return this.whole.checkpoints(keys.map((key) => space + key));
  }

  async write({ tables, checkpoints }: WriteBatch): Promise<WriteResult> {
    const { space } = this;
    if (space === '') return this.whole.write({ tables, checkpoints });
    const given = new Map(tables.map(({ table }) => [this.own(table), table]));
    const { conflicts } = await this.whole.write({
      tables: tables.map((each) => ({ ...each, table: this.own(each.table) })),
      checkpoints: checkpoints.map(({ key, position }) => ({ key: space + key, position })),
    });
    return { conflicts: conflicts.map((one) => ({ ...one, table: given.get(one.table) ?? one.table })) };
  }

  private own(table: AnyTable): AnyTable {
    const { space } = this;
    if (space === '' || table.model === REGISTER_TABLE.model) return table;
    const known = this.tables.get(table);
    if (known) return known;
    const own = { model: this.ownModel(table.model, space), generation: table.generation };
    this.tables.set(table, own);
    return own;
  }

  private ownModel(model: ReadModel, space: string): ReadModel {
    const known = this.models.get(model);
    if (known) return known;
    const joins = model.searchJoins?.map((join) => ({ ...join, model: space + join.model }));
    const own = { ...model, name: space + model.name, ...(joins && { searchJoins: joins }) };
    this.models.set(model, own);
    return own;
  }
}
