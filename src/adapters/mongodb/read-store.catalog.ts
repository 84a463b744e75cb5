import { setImmediate as nextTurn } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import { RegisteredTables } from '../registered-tables.js';
import type { MongoConnection } from './connection.js';
import { shapeOf, type Shape } from './read-store.collections.js';

const TABLES = 'kontor_tables';
const GENERATIONS = 'kontor_generations';

type Asked = { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, number>> };

/** Registered tables and live generations. */
export class ReadStoreCatalog extends RegisteredTables<Shape> {
  private readonly withTotals = new Set<string>();
  /** Live generations to look up in the next query. */
  private asked: Asked | undefined;

  constructor(private readonly mongo: MongoConnection) {
    super(shapeOf);
  }

  /** Whether totals have been maintained since the table was created. False for tables created by older releases. */
  keepsTotals({ name }: Shape): boolean {
    return this.withTotals.has(name);
  }

  /** Returns a model's live table in the version prepared by this process, or undefined before the first cutover. */
  async liveTable(model: string): Promise<Shape | undefined> {
    const declared = this.declared(model);
    const generation = declared && (await this.liveGeneration(model, declared.version));
    return declared && generation !== undefined ? this.shared(declared, generation) : undefined;
  }

  /** Concurrent calls share one query, because a follower of all models makes one call per model. */
  async liveGeneration(model: string, version: number): Promise<number | undefined> {
    const asked = (this.asked ??= this.generationsAsked());
    const key = generationKey(model, version);
    asked.keys.add(key);
    return (await asked.found).get(key);
  }

  private generationsAsked(): Asked {
    const keys = new Set<string>();
    const find = async (): Promise<ReadonlyMap<string, number>> => {
      await nextTurn();
      this.asked = undefined;
      const found = await this.mongo.find(GENERATIONS, { _id: { $in: [...keys] } });
      return new Map(found.map(({ _id, generation }) => [_id, generation as number]));
    };
    return { keys, found: find() };
  }

  setLiveGeneration(model: string, version: number, generation: number): Promise<void> {
    return this.mongo.upsert(GENERATIONS, generationKey(model, version), { $max: { generation } });
  }

  /** Stores the declarations of tables. @throws RangeError if a table already has a different declaration */
  async declare(shapes: readonly Shape[]): Promise<void> {
    const names = shapes.map(({ name }) => name);
    const found = await this.mongo.find(TABLES, { _id: { $in: names } });
    const known = new Map(found.map((table) => [table._id, table]));
    for (const { name, model, declaration, keepsTotals } of shapes) {
      const before = known.get(name);
      if (before && before.declaration !== declaration) {
        throw new RangeError(`Read model ${model.name} was changed without a new version`);
      }
      if (before ? before.totals === true : keepsTotals) this.withTotals.add(name);
      if (!before) await this.mongo.upsert(TABLES, name, { $setOnInsert: { declaration, totals: keepsTotals } });
    }
  }

  async drop({ name }: Shape): Promise<void> {
    this.withTotals.delete(name);
    await this.mongo.within(() => this.mongo.collection(name).drop().catch(unlessMissing));
    await this.mongo.within(() => this.mongo.collection(TABLES).deleteOne({ _id: name }));
  }
}

/**
 * Ignores an error caused by a missing collection. Some compatible servers send MongoDB's message without its error
 * code.
 */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof MongoServerError && (error.code === 26 || error.message.includes('ns not found'))))
    throw error;
}

const generationKey = (model: string, version: number): string => `v${version}:${model}`;
