import { MongoServerError } from 'mongodb';
import type { AnyTable, ReadModel } from '../../ports/read-store.js';
import { tableName } from '../read-model.declaration.js';
import { isDuplicateKey, type MongoConnection } from './connection.js';
import { shapeOf, type Shape } from './read-store.collections.js';

const TABLES = 'kontor_tables';
const GENERATIONS = 'kontor_generations';

/** Registered tables and live generations. */
export class ReadStoreCatalog {
  private readonly shapes = new Map<string, Shape>();
  private readonly models = new Map<string, ReadModel>();
  private readonly withTotals = new Set<string>();

  constructor(private readonly mongo: MongoConnection) {}

  register(table: AnyTable): Shape {
    const shape = shapeOf(table);
    this.shapes.set(shape.name, shape);
    this.models.set(table.model.name, table.model);
    return shape;
  }

  /** @throws RangeError for a table that was not prepared here: a defect of the caller */
  shape(table: AnyTable): Shape {
    const shape = this.shapes.get(tableName(table));
    if (!shape) throw new RangeError(`Read model table ${tableName(table)} was not prepared`);
    return shape;
  }

  /** Whether totals were maintained from the first document on; not so in tables of an older version. */
  keepsTotals({ name }: Shape): boolean {
    return this.withTotals.has(name);
  }

  /** The live table of a model, in the version prepared in this process; undefined before the first cutover. */
  async liveTable(model: string): Promise<Shape | undefined> {
    const declared = this.models.get(model);
    const generation = declared && (await this.liveGeneration(model, declared.version));
    if (!declared || generation === undefined) return undefined;
    const table = { model: declared, generation };
    return this.shapes.get(tableName(table)) ?? this.register(table);
  }

  async liveGeneration(model: string, version: number): Promise<number | undefined> {
    const found = await this.mongo.within(() =>
      this.generations.findOne({ _id: generationKey(model, version) }, { maxTimeMS: this.mongo.timeoutMs }),
    );
    return found?.generation as number | undefined;
  }

  async setLiveGeneration(model: string, version: number, generation: number): Promise<void> {
    const write = () =>
      this.generations.updateOne(
        { _id: generationKey(model, version) },
        { $set: { generation } },
        { upsert: true, writeConcern: this.mongo.journaled },
      );
    await this.mongo.within(() => twice(write));
  }

  /** Stores the declarations of tables. @throws RangeError if a table was declared differently before */
  async declare(shapes: readonly Shape[]): Promise<void> {
    const names = shapes.map(({ name }) => name);
    const known = new Map(
      (
        await this.mongo.within(() =>
          this.tables.find({ _id: { $in: names } }, { maxTimeMS: this.mongo.timeoutMs }).toArray(),
        )
      ).map((found) => [found._id, found]),
    );
    for (const { name, model, declaration, keepsTotals } of shapes) {
      const before = known.get(name);
      if (before && before.declaration !== declaration) {
        throw new RangeError(`Read model ${model.name} was changed without a new version`);
      }
      if (before ? before.totals === true : keepsTotals) this.withTotals.add(name);
      if (before) continue;
      const write = () =>
        this.tables.updateOne(
          { _id: name },
          { $setOnInsert: { declaration, totals: keepsTotals } },
          { upsert: true, writeConcern: this.mongo.journaled },
        );
      await this.mongo.within(() => twice(write));
    }
  }

  async drop({ name }: Shape): Promise<void> {
    this.withTotals.delete(name);
    await this.mongo.within(() => this.mongo.collection(name).drop().catch(unlessMissing));
    await this.mongo.within(() => this.tables.deleteOne({ _id: name }));
  }

  private get tables() {
    return this.mongo.collection(TABLES);
  }

  private get generations() {
    return this.mongo.collection(GENERATIONS);
  }
}

/** Some compatible servers have no error code for this and use MongoDB's message. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof MongoServerError && (error.code === 26 || error.message.includes('ns not found'))))
    throw error;
}

const generationKey = (model: string, version: number): string => `v${version}:${model}`;

/** Retries once: when two processes insert the same document at once, the second finds it on the next attempt. */
export async function twice<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return write();
  }
}
