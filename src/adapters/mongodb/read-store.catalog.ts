import { MongoServerError } from 'mongodb';
import type { AnyTable, ReadModel } from '../../ports/read-store.js';
import { tableName } from '../read-model.declaration.js';
import { isDuplicateKey, type MongoConnection } from './connection.js';
import { shapeOf, type Shape } from './read-store.collections.js';

const TABLES = 'kontor_tables';
const GENERATIONS = 'kontor_generations';

/** Which tables and live generations there are. */
export class ReadStoreCatalog {
  private readonly shapes = new Map<string, Shape>();
  private readonly models = new Map<string, ReadModel>();

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

  /** The live table of a model, in the version prepared in this process; undefined before the first generation is live. */
  async liveTable(model: string): Promise<Shape | undefined> {
    const declared = this.models.get(model);
    const generation = declared && (await this.liveGeneration(model, declared.version));
    if (!declared || generation === undefined) return undefined;
    const table = { model: declared, generation };
    return this.shapes.get(tableName(table)) ?? this.register(table);
  }

  async liveGeneration(model: string, version: number): Promise<number | undefined> {
    const found = await this.mongo.within(() =>
      this.generations.findOne(
        { _id: generationKey(model, version) },
        { maxTimeMS: this.mongo.timeoutMs, readConcern: 'majority' },
      ),
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

  /** Keeps how the tables are declared. @throws RangeError where one was declared otherwise before */
  async declare(shapes: readonly Shape[]): Promise<void> {
    const names = shapes.map(({ name }) => name);
    const known = new Map(
      (
        await this.mongo.within(() =>
          this.tables.find({ _id: { $in: names } }, { maxTimeMS: this.mongo.timeoutMs }).toArray(),
        )
      ).map(({ _id, declaration }) => [_id, declaration]),
    );
    for (const { name, model, declaration } of shapes) {
      if (known.has(name) && known.get(name) !== declaration) {
        throw new RangeError(`Read model ${model.name} was changed without a new version`);
      }
      if (known.has(name)) continue;
      const write = () =>
        this.tables.updateOne(
          { _id: name },
          { $setOnInsert: { declaration } },
          { upsert: true, writeConcern: this.mongo.journaled },
        );
      await this.mongo.within(() => twice(write));
    }
  }

  async drop(table: AnyTable): Promise<void> {
    const { name } = shapeOf(table);
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

/** Servers that have no number for it say it in MongoDB's words. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof MongoServerError && (error.code === 26 || error.message.includes('ns not found'))))
    throw error;
}

const generationKey = (model: string, version: number): string => `v${version}:${model}`;

/** Two that make the same document at once: the one that comes second finds it there when it tries again. */
export async function twice<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return write();
  }
}
