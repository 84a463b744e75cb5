import { MongoClient, MongoServerError, ReadConcern } from 'mongodb';
import type { Collection, CollectionOptions, Db, Document, Filter, FindOptions, UpdateFilter } from 'mongodb';
import type { TopologyDescriptionChangedEvent, WriteConcernSettings } from 'mongodb';
import type { EngineFault } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import { ReadStoreUnavailable, SearchTooBroad } from '../../ports/read-store.js';
import type { Clock } from '../../ports/time.js';
import { withTimeout } from '../waiting.js';
import { faultOf, isUnreached, type MongoFault, twice, unavailable } from './connection.faults.js';
import { type ConnectionSettings, settingsOf } from './connection.settings.js';

export type MongoDbOptions = {
  /** A `mongodb://` or `mongodb+srv://` URL. The path is the name of the database (default: `kontor`). */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Timeout per call, in milliseconds. Applies even if the server does not respond. Applies separately to each bulk write of a
   * large write.
   */
  readonly timeoutMs?: number;
  /** Number of changes after which stored totals are updated. Set only by tests. */
  readonly settleEvery?: number;
  /** Called with every command before it is sent. Set only by tests. */
  readonly onCommand?: (command: Document) => void;
};

/** A document in any collection of this adapter. */
export type Stored = { _id: string } & Record<string, unknown>;

const TIMEOUT_MS = 5_000;
/** Timeout for building a table's indexes. */
const INDEX_TIMEOUT_MS = 3_600_000;
/** Time for which a missing permission is reported after the last denied command. */
const REFUSED_MS = 30_000;
/** Outage after which calls fail quickly. The election of a new primary normally takes less time. */
const LONG_OUTAGE_MS = 15_000;
const OUTAGE_TIMEOUT_MS = 500;
/** Number of call timeouts without any reply from the server after which the client is replaced. */
const STUCK_TIMEOUTS = 3;

/** Batch size. It is large enough for a read by keys to receive all its documents in one reply. */
const BATCH = 2_000;

const WRITABLE = ['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer'];

/**
 * One MongoDB client at a time for all stores. It can be created while the server is unavailable. During an outage,
 * every call fails within `timeoutMs`. Calls succeed again once the server is back. Writes wait for a majority, and
 * reads return only majority-committed data. Therefore, a document that guards a write or is covered by a checkpoint
 * cannot disappear when the primary changes (ADR 0049).
 */
export class MongoConnection {
  readonly timeoutMs: number;
  /** Requires acknowledgement by a majority, so that a new primary has the write. */
  readonly majority: WriteConcernSettings;
  private readonly url: string;
  private client: MongoClient;
  private db: Db;
  private readonly settings: ConnectionSettings;
  private readonly onCommand: MongoDbOptions['onCommand'];
  private readonly clock: Clock;
  private readonly logger: Logger;
  private isConnected = false;
  private closing: Promise<void> | undefined;
  private awaySinceMs: number | undefined;
  /** Time at which a call first failed without a reply after the server's last reply. */
  private silentSinceMs: number | undefined;
  private refused: { readonly fault: MongoFault; readonly atMs: number } | undefined;

  /** @throws RangeError for an invalid URL. The message omits the URL, which may contain a password. */
  constructor({ url, clock, logger, timeoutMs = TIMEOUT_MS, onCommand }: MongoDbOptions) {
    this.clock = clock;
    this.logger = logger;
    this.url = url;
    this.onCommand = onCommand;
    try {
      this.settings = settingsOf(url, timeoutMs);
      this.timeoutMs = this.settings.timeoutMs;
      this.majority = this.settings.majority;
      this.client = this.newClient();
      this.db = this.databaseOf(this.client);
    } catch {
      throw new RangeError('Not a valid MongoDB URL (omitted here because it may contain a password)');
    }
  }

  private newClient(): MongoClient {
    const { url, onCommand } = this;
    const client = new MongoClient(url, { ...this.settings.options, monitorCommands: onCommand !== undefined });
    client.on('topologyDescriptionChanged', (event) => {
      if (client === this.client) this.observe(event);
    });
    if (onCommand) {
      client.on('commandStarted', ({ command }) => {
        onCommand(command);
      });
    }
    return client;
  }

  private databaseOf(client: MongoClient): Db {
    return client.db(this.settings.database, {
      readPreference: 'primary',
      readConcern: new ReadConcern('majority'),
      writeConcern: this.majority,
    });
  }

  collection(name: string, options: CollectionOptions = {}): Collection<Stored> {
    return this.db.collection<Stored>(name, options);
  }

  /** @throws ReadStoreUnavailable */
  find(name: string, filter: Filter<Stored>, options: FindOptions = {}): Promise<Stored[]> {
    const bounded = { batchSize: BATCH, maxTimeMS: this.timeoutMs, ...options };
    return this.within(() => this.collection(name).find(filter, bounded).toArray());
  }

  /** @throws ReadStoreUnavailable */
  async findById(name: string, _id: string, options: FindOptions = {}): Promise<Stored | undefined> {
    return (await this.find(name, { _id }, { ...options, limit: 1 }))[0];
  }

  /** The write is durable when the call resolves. @throws ReadStoreUnavailable */
  async upsert(name: string, _id: string, update: UpdateFilter<Stored>): Promise<void> {
    const options = { upsert: true, writeConcern: this.journaled };
    await this.within(() => twice(() => this.collection(name).updateOne({ _id }, update, options)));
  }

  /**
   * Requires a majority to acknowledge and journal the write and all earlier ones, so that none is lost if these
   * servers crash.
   */
  get journaled(): WriteConcernSettings {
    return { ...this.majority, journal: true };
  }

  /**
   * Options for commands whose duration grows with the number of documents. The driver honors `socketTimeoutMS`,
   * although its type definitions omit this option.
   */
  get unhurried(): { readonly maxTimeMS: number; readonly socketTimeoutMS: number } {
    return { maxTimeMS: INDEX_TIMEOUT_MS, socketTimeoutMS: INDEX_TIMEOUT_MS };
  }

  /**
   * Runs `work` within `timeoutMs`, or within OUTAGE_TIMEOUT_MS if the server has been unavailable for a long time.
   * Commands that were sent before a timeout may still be executed.
   * @throws SearchTooBroad; ReadStoreUnavailable for any error from the driver or server
   */
  within<T>(work: () => Promise<T>): Promise<T> {
    const { callTimeoutMs } = this.settings;
    return this.limited(work, this.isLongAway ? Math.min(OUTAGE_TIMEOUT_MS, callTimeoutMs) : callTimeoutMs);
  }

  private get isLongAway(): boolean {
    return this.awaySinceMs !== undefined && this.clock.monotonicMs() - this.awaySinceMs >= LONG_OUTAGE_MS;
  }

  /** Like `within`, but with the timeout for `unhurried` commands. */
  unhurriedly<T>(work: () => Promise<T>): Promise<T> {
    return this.limited(work, INDEX_TIMEOUT_MS);
  }

  /** Runs `work` without waiting for it. Logs an error unless the connection has been closed. */
  inBackground(work: () => Promise<unknown>, fields: object, message: string): void {
    work().catch((err: unknown) => {
      if (!this.closing) this.logger.warn({ ...fields, err }, message);
    });
  }

  /** Server version, or null if the server does not report it. @throws ReadStoreUnavailable */
  async version(): Promise<string | null> {
    const { version } = await this.within(() => this.db.command({ buildInfo: 1 }));
    return typeof version === 'string' ? version : null;
  }

  /** Closes the connection. Calls in flight fail. Idempotent. */
  close(): Promise<void> {
    // The wait is limited, because the driver notifies the server, which may not respond.
    this.closing ??= this.limited(() => this.client.close(), this.timeoutMs, true).catch(() => undefined);
    return this.closing;
  }

  private async limited<T>(work: () => Promise<T>, limitMs: number, closing = false): Promise<T> {
    if (this.closing && !closing) throw new ReadStoreUnavailable('The connection to MongoDB was closed');
    if (!closing) this.replaceIfStuck();
    const late = () => new ReadStoreUnavailable(`MongoDB did not respond within ${limitMs} ms`);
    try {
      const result = await withTimeout(this.clock, limitMs, closing ? work() : this.connected().then(work), late);
      if (!closing) this.noteServed();
      return result;
    } catch (error) {
      throw this.noteFailed(error);
    }
  }

  /** Records a failed call. Returns the error to throw. */
  private noteFailed(error: unknown): Error {
    if (error instanceof MongoServerError || error instanceof SearchTooBroad) this.silentSinceMs = undefined;
    else this.silentSinceMs ??= this.clock.monotonicMs();
    if (isUnreached(error)) this.noteAway(error);
    else this.noteFault(error);
    return error instanceof ReadStoreUnavailable || error instanceof SearchTooBroad ? error : unavailable(error);
  }

  /**
   * Replaces a client that has received no reply for a long time. If the server is killed while the driver sends its
   * health check, the driver may wait forever for that write. It would then never use the server again.
   */
  private replaceIfStuck(): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.silentSinceMs ?? nowMs) < STUCK_TIMEOUTS * this.settings.callTimeoutMs) return;
    const old = this.client;
    this.client = this.newClient();
    this.db = this.databaseOf(this.client);
    this.isConnected = false;
    this.silentSinceMs = undefined;
    old.close().catch(() => undefined);
  }

  /**
   * Connects. The driver does so automatically, but only once. If that attempt fails, it must be retried explicitly.
   */
  private async connected(): Promise<void> {
    if (this.isConnected) return;
    const { client } = this;
    try {
      await client.connect();
    } catch (error) {
      this.noteAway(error);
      throw error;
    }
    if (client !== this.client) return;
    this.isConnected = true;
    this.noteBack();
    // Without this check, the connection would remain open if `close` was called in the meantime.
    if (this.closing) await client.close();
  }

  /** Tracks whether a writable server is available. */
  private observe({ newDescription }: TopologyDescriptionChangedEvent): void {
    const servers = [...newDescription.servers.values()];
    if (servers.some(({ type }) => WRITABLE.includes(type))) {
      // A server can be visible before it has accepted the login.
      if (this.isConnected) this.noteBack();
      return;
    }
    const failed = servers.find(({ error }) => error !== null);
    if (failed) this.noteAway(failed.error);
  }

  /** Returns a fault that persists until the settings are corrected. */
  fault(): EngineFault | undefined {
    if (!this.refused) return undefined;
    const { setting, reason } = this.refused.fault;
    return { setting, reason };
  }

  /** Logs each fault once. Returns true if the error is a configuration fault. */
  private noteFault(error: unknown): boolean {
    const fault = this.closing ? undefined : faultOf(error, this.url);
    if (!fault) return false;
    const { setting, reason } = fault;
    const known = this.refused?.fault;
    this.refused = { fault, atMs: this.clock.monotonicMs() };
    if (known?.setting !== setting || known.reason !== reason) {
      this.logger.error({ setting, reason }, 'MongoDB rejects the configured settings');
    }
    return true;
  }

  private noteServed(): void {
    this.silentSinceMs = undefined;
    this.noteBack();
    const { refused } = this;
    if (refused && !(refused.fault.lasts && this.clock.monotonicMs() - refused.atMs < REFUSED_MS))
      this.refused = undefined;
  }

  private noteAway(error: unknown): void {
    if (this.closing) return;
    const isConfigured = !this.noteFault(error);
    if (this.awaySinceMs !== undefined) return;
    this.awaySinceMs = this.clock.monotonicMs();
    if (!isConfigured) return;
    this.logger.warn({ reason: error instanceof Error ? error.message : String(error) }, 'MongoDB is unavailable');
  }

  private noteBack(): void {
    if (this.awaySinceMs === undefined) return;
    const awayMs = Math.round(this.clock.monotonicMs() - this.awaySinceMs);
    this.awaySinceMs = undefined;
    this.logger.info({ awayMs }, 'MongoDB is back');
  }
}
