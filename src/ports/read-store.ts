import type { EngineFacts, EngineFault } from './engine.js';

/** Scope of a read or write operation: a tenant's id, or PLATFORM. No query can omit the scope. */
export type Scope = string & { readonly __scope: true };
/** Scope of documents that belong to no tenant. */
export const PLATFORM = 'platform' as Scope;
export const tenantScope = (tenantId: string): Scope => tenantId as Scope;

/** Value of a field or of a list filter. */
export type Scalar = string | number | boolean;

/**
 * A document value by which lists can be filtered, restricted to a range, or ordered. If `of` returns several values, a
 * filter matches if any of these values matches.
 */
export type Field<Doc> = {
  readonly type: 'text' | 'integer' | 'boolean';
  readonly of: (doc: Doc) => Scalar | null | readonly Scalar[];
};

/**
 * A total order of lists: these single-valued fields, then the id, all in the same direction. Ordering by id alone
 * requires no additional index.
 */
export type Order = { readonly fields: readonly string[]; readonly direction: 'ascending' | 'descending' };

/**
 * Storage and indexes of a read model. Any change requires a new `version`, which is built alongside the old one. The
 * exceptions are `common`, `ranged` and `orderedWithin`: `prepare` creates the indexes that they add.
 */
export type ReadModel<Doc extends object = never> = {
  /** Part of the table's name, in lower case with underscores. */
  readonly name: string;
  readonly version: number;
  readonly fields: Readonly<Record<string, Field<Doc>>>;
  /**
   * Fields by which lists can be filtered. Each filter that is not `common` may have its own index, which also includes
   * the fields of the list order.
   */
  readonly filters: readonly string[];
  /** Sets of filters that are often used together. Each set may have its own index. */
  readonly compound?: readonly (readonly string[])[];
  /**
   * Single-valued filters with few distinct values. The number of documents for each value is maintained with the
   * model. The total of a list that is filtered only by one of these fields is therefore known immediately, regardless
   * of its length. If `counted` is empty, only the overall count is maintained.
   */
  readonly counted?: readonly string[];
  /**
   * Filters for which every value matches many documents. A scan of the list quickly finds enough matches for a page,
   * so an index would slow down writes without ever being used.
   */
  readonly common?: readonly string[];
  /** Fields that are not filters, but of which a range may match few documents. Each may have its own index. */
  readonly ranged?: readonly string[];
  /** Default order of lists. */
  readonly order: Order;
  /** Additional orders that a query may choose, by name. Each order has its own index. */
  readonly orders?: Readonly<Record<string, Order>>;
  /**
   * Filters by the name of an additional order. Every query with that order contains the filter, so the order's index
   * may begin with it.
   */
  readonly orderedWithin?: Readonly<Record<string, string>>;
  /**
   * Set if a scope may hold a very large number of documents. Totals, distant pages and any combination of filters must
   * not become slower as that number grows. The first order field should have few distinct values (a date). The other
   * fields break ties.
   */
  readonly large?: true;
  /** Searchable strings by name. Null values are skipped. */
  readonly search?: Readonly<Record<string, (doc: Doc) => string | null>>;
  /** Extends the search to named strings of other documents referenced by a field of this document. */
  readonly searchJoins?: readonly SearchJoin[];
};
/** `field` contains ids of documents in the other `model`. `texts` are the names of that model's searchable strings. */
export type SearchJoin = { readonly field: string; readonly model: string; readonly texts: readonly string[] };

/** Physical storage of a model's documents. A rebuild fills the next generation alongside the live one. */
export type Table<Doc extends object = never> = { readonly model: ReadModel<Doc>; readonly generation: number };
/** A table of any document type. */
export type AnyTable = Table;

/** Document key. Ids are unique within each scope of a table. */
export type DocumentKey = { readonly scope: Scope; readonly id: string };

/**
 * A document with the data that the projector needs. `json` is null for a tombstone. `position` is the position of the
 * last applied event.
 */
export type StoredDocument = { readonly json: string | null; readonly position: number };

/**
 * A guarded write: applied only if the stored document is at position `expected` (null: absent), otherwise reported as
 * a conflict. A null `document` leaves a tombstone, which queries do not return.
 */
export type DocumentWrite = DocumentKey & {
  readonly document: object | null;
  readonly position: number;
  readonly expected: number | null;
};

export type TableWrites = {
  readonly table: AnyTable;
  readonly writes: readonly DocumentWrite[];
  /**
   * No process will write platform documents of this table for events up to and including this position. Default: the
   * position of the checkpoints.
   */
  readonly platformUpTo?: number;
};
/** Document writes and the checkpoints to store with them. */
export type WriteBatch = {
  readonly tables: readonly TableWrites[];
  /**
   * Stored after all writes, and only if none of them conflicted. A checkpoint never moves backwards. A key with a `#`
   * identifies a part of the checkpoint named before the `#`. An engine may store all parts of a checkpoint together.
   */
  readonly checkpoints: readonly { readonly key: string; readonly position: number }[];
};
/** The writes that were not applied because the stored document was not at the expected position. */
export type WriteResult = { readonly conflicts: readonly (DocumentKey & { readonly table: AnyTable })[] };

/** Both bounds are inclusive. If a bound is omitted, the range is open on that side. */
export type Range = { readonly from?: Scalar; readonly to?: Scalar };
/** Selects documents of a scope. An invalid query is a bug in the caller and throws a RangeError. */
export type ListQuery = {
  /** Equality on declared filters. A multi-valued field matches if any of its values equals the given value. */
  readonly where?: Readonly<Record<string, Scalar>>;
  /** Like `where`, but with several values, one of which must match. If there are no values, nothing matches. */
  readonly anyOf?: Readonly<Record<string, readonly Scalar[]>>;
  /**
   * Inclusive bounds on declared single-valued fields. Text filters can have bounds only if they are part of the order.
   */
  readonly between?: Readonly<Record<string, Range>>;
  /** Free text: every word must be a prefix of a word in the searchable strings. Text without words matches nothing. */
  readonly search?: string;
  /**
   * Restricts the joined documents that a search considers: equality on filters that the joined models declare. The
   * strings of all other joined documents are ignored.
   */
  readonly joinedWhere?: Readonly<Record<string, Scalar>>;
  /** Name of one of the model's additional orders. */
  readonly order?: string;
  /** Reverses the order's direction. */
  readonly reverse?: boolean;
  readonly offset: number;
  readonly limit: number;
  /**
   * Limits the cost of counting: an engine without a stored total for the query stops counting at this number. 0 means
   * that no total is needed. If omitted, the total is exact.
   */
  readonly countUpTo?: number;
  /**
   * Cursor for iterating over a whole list: '' for the first page, then the previous page's `next`, with the same query
   * and offset 0. No documents are counted, and every page takes only as long as the first. A document that does not
   * change during the iteration is returned exactly once, regardless of other writes.
   */
  readonly after?: string;
};
/** A page of documents as stored JSON text, in the order of the query. */
export type Listed = {
  readonly items: readonly string[];
  /** −1 if the query used `after`. */
  readonly totalCount: number;
  /** Set if counting stopped at `countUpTo`, so there are at least `totalCount` documents. */
  readonly isCapped?: true;
  /** Cursor to pass as `after` for the next page, or undefined on the last page. */
  readonly next?: string | undefined;
};

/**
 * The read store: documents derived from the history, one table (or collection) for each model, version and generation.
 * Everything in it can be rebuilt, so it may be less durable than the event store. However, it must never be internally
 * inconsistent: a checkpoint is visible only together with the documents that it covers. All methods throw
 * ReadStoreUnavailable while the engine is unavailable.
 */
export interface ReadStore {
  /**
   * Creates missing tables and indexes. `bulk` omits the secondary indexes, for a rebuild. Indexes that a new release
   * adds to an existing table may still be built when the method returns. Idempotent.
   */
  prepare(tables: readonly AnyTable[], options?: { readonly bulk?: boolean }): Promise<void>;
  /** Builds the indexes that `bulk` omitted. Idempotent. */
  index(table: AnyTable): Promise<void>;
  /** Removes a table with all its documents. Idempotent. */
  drop(table: AnyTable): Promise<void>;

  /**
   * Returns documents for the projector, including tombstones, in the order of `keys`. A document that never existed is
   * returned as undefined.
   */
  load(table: AnyTable, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]>;
  /**
   * Performs a guarded bulk write (see DocumentWrite and WriteBatch). After a conflict or an error, some writes may
   * have been applied. Load the documents again and repeat the projection.
   */
  write(batch: WriteBatch): Promise<WriteResult>;

  /**
   * Removes the tombstones with these keys. Only for tables without counted totals that no projection writes, because
   * projections compare their events with tombstones. Idempotent.
   */
  purge(table: AnyTable, keys: readonly DocumentKey[]): Promise<void>;

  /** Returns the JSON of one document, or undefined if it is missing or a tombstone. */
  get(table: AnyTable, scope: Scope, id: string): Promise<string | undefined>;
  /** Returns several documents by id. Missing ids are omitted. */
  getMany(table: AnyTable, scope: Scope, ids: readonly string[]): Promise<Map<string, string>>;
  /**
   * Returns a page and its total.
   * @throws SearchTooBroad; RangeError for an unknown filter, which is a bug in the caller
   */
  list(table: AnyTable, scope: Scope, query: ListQuery): Promise<Listed>;
  /** Yields all documents of the table, including tombstones, ordered by scope and id. Used to compare generations. */
  scan(table: AnyTable): AsyncIterable<DocumentKey & StoredDocument>;

  /** Returns the stored checkpoint, or −1 if there is none. */
  checkpoint(key: string): Promise<number>;
  /** Reads several checkpoints at once, in the order of `keys`. */
  checkpoints(keys: readonly string[]): Promise<readonly number[]>;
  /** Returns the live generation of a model version, or undefined before the first cutover. */
  liveGeneration(model: string, version: number): Promise<number | undefined>;
  /** Makes a generation the live one, unless a later generation already is: a suspended coordinator may resume. */
  setLiveGeneration(model: string, version: number, generation: number): Promise<void>;

  /** Reports the engine's name and version in one round trip. */
  facts(): Promise<EngineFacts>;
  /** Reason why the engine is unusable, or undefined when it is available. Performs no I/O. */
  fault?(): EngineFault | undefined;

  close(): Promise<void>;
}

/**
 * The engine is available, but the search matches more documents than it can examine. The caller must narrow the
 * search.
 */
export class SearchTooBroad extends Error {
  constructor() {
    super('The search matches too many records');
    this.name = 'SearchTooBroad';
  }
}

/** The store is currently unavailable. The outcome of a rejected write is unknown. */
export class ReadStoreUnavailable extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
  ) {
    super(message);
    this.name = 'ReadStoreUnavailable';
  }
}
