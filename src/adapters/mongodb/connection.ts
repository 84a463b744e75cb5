import { MongoClient, MongoNetworkError, MongoNetworkTimeoutError, type Collection, type Db } from 'mongodb';
import type { TopologyDescriptionChangedEvent, WriteConcernSettings } from 'mongodb';
import type { Logger } from '../../ports/log.js';
import { ReadStoreUnavailable } from '../../ports/read-store.js';
import type { Clock } from '../../ports/time.js';

export type MongoDbOptions = {
  /** `mongodb://` or `mongodb+srv://`; its path names the database (`kontor` without one). */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a call may take, in milliseconds, whatever the server does; a large write: each of its parts. */
  readonly timeoutMs?: number;
};

/** What is stored in any collection here. */
export type Stored = { _id: string } & Record<string, unknown>;

const DATABASE = 'kontor';
const TIMEOUT_MS = 5_000;
/** How long the building of a table's indexes may take. */
const INDEX_TIMEOUT_MS = 3_600_000;
const HEARTBEAT_MS = 2_000;
const MAX_CONNECTIONS = 32;

const WRITABLE = ['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer'];
const databaseInUrl = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]+)/;

/**
 * One client of MongoDB for all stores. It is made without the server; while that is away, every call fails after at
 * most `timeoutMs`, and works again by itself. Everything is read from the primary and written to a majority, so that
 * what was acknowledged outlives a change of the primary.
 */
export class MongoConnection {
  readonly timeoutMs: number;
  private readonly client: MongoClient;
  private readonly db: Db;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private isConnected = false;
  private closing: Promise<void> | undefined;
  private awaySinceMs: number | undefined;

  /** @throws RangeError when the URL is none; its text is not repeated, since it may hold a password */
  constructor({ url, clock, logger, timeoutMs = TIMEOUT_MS }: MongoDbOptions) {
    this.clock = clock;
    this.logger = logger;
    this.timeoutMs = timeoutMs;
    try {
      this.client = new MongoClient(url, {
        appName: 'kontor',
        serverSelectionTimeoutMS: timeoutMs,
        connectTimeoutMS: timeoutMs,
        socketTimeoutMS: timeoutMs,
        waitQueueTimeoutMS: timeoutMs,
        heartbeatFrequencyMS: HEARTBEAT_MS,
        maxPoolSize: MAX_CONNECTIONS,
      });
      const name = databaseInUrl.exec(url)?.[1];
      this.db = this.client.db(name === undefined ? DATABASE : decodeURIComponent(name), {
        readPreference: 'primary',
        writeConcern: this.majority,
      });
    } catch {
      throw new RangeError('Not a URL that MongoDB can be reached by (it is not shown, since it may hold a password)');
    }
    this.client.on('topologyDescriptionChanged', (event) => {
      this.observe(event);
    });
  }

  collection(name: string): Collection<Stored> {
    return this.db.collection<Stored>(name);
  }

  /** Acknowledged by a majority: a new primary has it. */
  get majority(): WriteConcernSettings {
    return { w: 'majority', wtimeoutMS: this.timeoutMs };
  }

  /** Acknowledged by a majority and in its journals, with all that was written before: a crash of them loses none of it. */
  get journaled(): WriteConcernSettings {
    return { ...this.majority, journal: true };
  }

  /** For commands that take as long as there are documents. The driver heeds it though its types do not name it. */
  get unhurried(): { readonly maxTimeMS: number; readonly socketTimeoutMS: number } {
    return { maxTimeMS: INDEX_TIMEOUT_MS, socketTimeoutMS: INDEX_TIMEOUT_MS };
  }

  /**
   * Does what is asked within `timeoutMs`. What was sent by then may still be carried out.
   * @throws ReadStoreUnavailable for whatever the driver or the server says
   */
  within<T>(work: () => Promise<T>): Promise<T> {
    return this.limited(work, this.timeoutMs);
  }

  /** The same for `unhurried` commands. */
  unhurriedly<T>(work: () => Promise<T>): Promise<T> {
    return this.limited(work, INDEX_TIMEOUT_MS);
  }

  /** The server's; null where it does not tell. @throws ReadStoreUnavailable */
  async version(): Promise<string | null> {
    const { version } = await this.within(() => this.db.command({ buildInfo: 1 }));
    return typeof version === 'string' ? version : null;
  }

  /** Calls that are under way fail. Idempotent. */
  close(): Promise<void> {
    // The driver says good-bye to the server, which may not answer.
    this.closing ??= this.limited(() => this.client.close(), this.timeoutMs, true).catch(() => undefined);
    return this.closing;
  }

  private async limited<T>(work: () => Promise<T>, limitMs: number, closing = false): Promise<T> {
    if (this.closing && !closing) throw new ReadStoreUnavailable('The connection to MongoDB was closed');
    const done = new AbortController();
    const late = this.clock.sleep(limitMs, done.signal).then(() => {
      if (!done.signal.aborted) throw new ReadStoreUnavailable(`MongoDB did not answer within ${limitMs} ms`);
    }) as Promise<never>;
    try {
      const result = await Promise.race([closing ? work() : this.connected().then(work), late]);
      if (!closing) this.noteBack();
      return result;
    } catch (error) {
      if (isUnreached(error)) this.noteAway(error);
      throw error instanceof ReadStoreUnavailable ? error : unavailable(error);
    } finally {
      done.abort();
    }
  }

  /** The driver connects by itself, but only once: where the server is away then, it has to be asked to try again. */
  private async connected(): Promise<void> {
    if (this.isConnected) return;
    try {
      await this.client.connect();
    } catch (error) {
      this.noteAway(error);
      throw error;
    }
    this.isConnected = true;
    this.noteBack();
    // Closed meanwhile, it would stay open for ever.
    if (this.closing) await this.client.close();
  }

  /** Notes when the server that takes writes goes, and when it is back. */
  private observe({ newDescription }: TopologyDescriptionChangedEvent): void {
    const servers = [...newDescription.servers.values()];
    if (servers.some(({ type }) => WRITABLE.includes(type))) {
      // It is there before it has let anybody in.
      if (this.isConnected) this.noteBack();
      return;
    }
    const failed = servers.find(({ error }) => error !== null);
    if (failed) this.noteAway(failed.error);
  }

  private noteAway(error: unknown): void {
    if (this.awaySinceMs !== undefined || this.closing) return;
    this.awaySinceMs = this.clock.monotonicMs();
    this.logger.warn({ reason: error instanceof Error ? error.message : String(error) }, 'MongoDB is away');
  }

  private noteBack(): void {
    if (this.awaySinceMs === undefined) return;
    const awayMs = Math.round(this.clock.monotonicMs() - this.awaySinceMs);
    this.awaySinceMs = undefined;
    this.logger.info({ awayMs }, 'MongoDB is back');
  }
}

/**
 * Nobody took the call. The driver need not count such a connection against the server, and looks at that only every
 * `HEARTBEAT_MS`: a server that was away for less would never be told of.
 */
const isUnreached = (error: unknown): boolean =>
  error instanceof MongoNetworkError && !(error instanceof MongoNetworkTimeoutError);

/** The driver's errors carry the documents that they are about: only their words are kept. */
function unavailable(error: unknown): ReadStoreUnavailable {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ReadStoreUnavailable('MongoDB cannot serve now', new Error(said));
}

const DUPLICATE_KEY = 11_000;

/** The document was there already. */
export const isDuplicateKey = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === DUPLICATE_KEY;
