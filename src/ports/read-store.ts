import type { EngineFacts } from './engine.js';

/** Which tenant's documents a read or write concerns: a tenant's id, or PLATFORM. No query can leave it out. */
export type Scope = string & { readonly __scope: true };
/** The scope of what belongs to no tenant. */
export const PLATFORM = 'platform' as Scope;
/** The scope of a tenant's documents. */
export const tenantScope = (tenantId: string): Scope => tenantId as Scope;

/** What fields hold and lists compare. */
export type Scalar = string | number | boolean;

/** A value of the document that lists filter, range or order by. `of` may give several values (any of them matches). */
export type Field<Doc> = {
  readonly type: 'text' | 'integer' | 'boolean';
  readonly of: (doc: Doc) => Scalar | null | readonly Scalar[];
};

/** How a model is stored and found. Changing any of it needs a new `version`: the model is then rebuilt beside the old. */
export type ReadModel<Doc extends object = never> = {
  /** Lower case with underscores: part of the table's name. */
  readonly name: string;
  readonly version: number;
  readonly fields: Readonly<Record<string, Field<Doc>>>;
  /** Fields that a list can be filtered by, each served by an index of its own together with the order. */
  readonly filters: readonly string[];
  /** Sets of filters that are often given together: an index each. */
  readonly compound?: readonly (readonly string[])[];
  /**
   * Filters with a single value, of which there are few: how many documents have each is kept beside the model, so that a
   * list that asks for nothing else has its total at once, however long it is.
   */
  readonly counted?: readonly string[];
  /** Total order of lists: these single-valued fields, then the id; all in one direction. */
  readonly order: { readonly fields: readonly string[]; readonly direction: 'ascending' | 'descending' };
  /**
   * A scope may have a great many of these documents: totals, far pages and filters in any combination must not take
   * longer for that. The first field of the order should have few values (a date): the others tell apart what is equal
   * in it. `joined`: other models' searches look into its texts.
   */
  readonly large?: { readonly joined: boolean };
  /** Texts that search looks into, by name; a null is skipped. */
  readonly search?: Readonly<Record<string, (doc: Doc) => string | null>>;
  /** Search also looks into named texts of the documents that a field of this one points to. */
  readonly searchJoins?: readonly SearchJoin[];
};
/** The field holds ids of documents of the other model; `texts` are names of that one's searched texts. */
export type SearchJoin = { readonly field: string; readonly model: string; readonly texts: readonly string[] };

/** The physical home of a model's documents: a rebuild fills the next generation beside the live one. */
export type Table<Doc extends object = never> = { readonly model: ReadModel<Doc>; readonly generation: number };
/** A table whose documents' type does not matter. */
export type AnyTable = Table;

/** Where a document is: ids are unique in a scope of a table. */
export type DocumentKey = { readonly scope: Scope; readonly id: string };

/** A document as the projector sees it. `json` is null for a tombstone. `position` is that of the last event folded in. */
export type StoredDocument = { readonly json: string | null; readonly position: number };

/**
 * A guarded write: applied only if the stored document is at `expected` (null: not there at all), else reported as a
 * conflict. `document` null leaves a tombstone, which reads do not see.
 */
export type DocumentWrite = DocumentKey & {
  readonly document: object | null;
  readonly position: number;
  readonly expected: number | null;
};

/** Writes and the checkpoints that they reach. */
export type WriteBatch = {
  readonly tables: readonly { readonly table: AnyTable; readonly writes: readonly DocumentWrite[] }[];
  /** Stored after all writes, and only when none of them conflicted. A checkpoint never moves back. */
  readonly checkpoints: readonly { readonly key: string; readonly position: number }[];
};
/** The writes that were not applied, since the stored document was not the expected one. */
export type WriteResult = { readonly conflicts: readonly (DocumentKey & { readonly table: AnyTable })[] };

/** Both ends inclusive; one that is left out is open. */
export type Range = { readonly from?: Scalar; readonly to?: Scalar };
/** Which documents of a scope a list holds. What it cannot mean is a RangeError: a defect of the caller. */
export type ListQuery = {
  /** Equality on declared filters; for a field with several values: one of them. */
  readonly where?: Readonly<Record<string, Scalar>>;
  /** Inclusive bounds on declared fields with a single value. */
  readonly between?: Readonly<Record<string, Range>>;
  /** Free text: every word must be a prefix of a word of the searched texts. Text without any word finds nothing. */
  readonly search?: string;
  /** Against the model's direction when true. */
  readonly reverse?: boolean;
  readonly offset: number;
  readonly limit: number;
  /**
   * For going through a whole list: '' for its first documents, then what `next` said each time, with the same query and
   * offset 0. Nothing is counted, and every part takes as long as the first. A document that stays as it is meanwhile
   * comes exactly once, whatever else is written.
   */
  readonly after?: string;
};
/** Documents as the JSON text that was stored, in the model's order. */
export type Listed = {
  readonly items: readonly string[];
  /** -1 where it was asked for with `after`. */
  readonly totalCount: number;
  /** With `after`: what to give as that for the documents that follow; undefined when there are no more. */
  readonly next?: string | undefined;
};

/**
 * The read store: documents derived from the history, one table (or collection) for each model, version and generation.
 * Everything in it can be rebuilt, so it may be less durable than the event store, but never inconsistent in itself:
 * a checkpoint is visible only together with the documents that it speaks of.
 * All of it throws ReadStoreUnavailable while the engine cannot serve.
 */
export interface ReadStore {
  /** Creates tables and indexes that are not there yet. `bulk`: without the secondary indexes, for a rebuild. Idempotent. */
  prepare(tables: readonly AnyTable[], options?: { readonly bulk?: boolean }): Promise<void>;
  /** Builds what `bulk` left out. Idempotent. */
  index(table: AnyTable): Promise<void>;
  /** Removes a table with all its documents. Idempotent. */
  drop(table: AnyTable): Promise<void>;

  /** Documents for folding, tombstones included, in the order of `keys`; undefined where there never was one. */
  load(table: AnyTable, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]>;
  /** Guarded bulk write; see DocumentWrite and WriteBatch. May be partly applied when it conflicts or throws: fold again. */
  write(batch: WriteBatch): Promise<WriteResult>;

  /** One document's JSON, undefined where there is none or a tombstone. */
  get(table: AnyTable, scope: Scope, id: string): Promise<string | undefined>;
  /** Several at once, by id; ids without a document are left out. */
  getMany(table: AnyTable, scope: Scope, ids: readonly string[]): Promise<Map<string, string>>;
  /** A page with its total. Unknown filters throw a RangeError: they are a defect of the caller. */
  list(table: AnyTable, scope: Scope, query: ListQuery): Promise<Listed>;
  /** All documents of the table, by scope and id, tombstones included: for comparing generations. */
  scan(table: AnyTable): AsyncIterable<DocumentKey & StoredDocument>;

  /** The stored checkpoint, -1 without one. */
  checkpoint(key: string): Promise<number>;
  /** Several checkpoints in one look, in the order of `keys`. */
  checkpoints(keys: readonly string[]): Promise<readonly number[]>;
  /** The live generation of a model's version, undefined before the first. */
  liveGeneration(model: string, version: number): Promise<number | undefined>;
  /** Makes a generation live. */
  setLiveGeneration(model: string, version: number, generation: number): Promise<void>;

  /** Asks the engine who it is: one round trip. */
  facts(): Promise<EngineFacts>;

  close(): Promise<void>;
}

/** The store cannot serve now; nothing is known of a refused write. */
export class ReadStoreUnavailable extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
  ) {
    super(message);
    this.name = 'ReadStoreUnavailable';
  }
}
