import { Redis } from 'ioredis';
import { CacheUnavailable } from '../../ports/cache.js';
import type { EngineFault } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { InFlight } from '../waiting.js';

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const DISCONNECT_TIMEOUT_MS = 50;
/** Maximum number of unanswered commands. Above this number, the cache is considered unavailable. */
const MAX_IN_FLIGHT = 10_000;
const MAX_IN_FLIGHT_BYTES = 33_554_432;

/** Time for which a denied command is reported. By then, the permissions may have been corrected. */
const DENIED_FOR_MS = 30_000;

/**
 * Adds hits to a counter or subtracts hits from it. The counter never falls below 0. Returns the count and the
 * milliseconds left in the window, according to the server's clock. Sets an expiry if the counter has none because it
 * is new or its expiry was removed externally.
 */
const HIT_SCRIPT = `
local by = tonumber(ARGV[2])
if by < 0 then
  local known = redis.call('GET', KEYS[1])
  if not known then return { 0, tonumber(ARGV[1]) } end
  by = math.max(by, 0 - tonumber(known))
end
local count = redis.call('INCRBY', KEYS[1], by)
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }`;

/** Matches errors about missing permissions, also of commands in a script (Redis 7.0; later versions). */
const DENIED = /^NOPERM|executing the script can't run this command|ACL failure in script/;

export type ConnectionOptions = {
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly commandTimeoutMs: number;
};
/** The driver with an additional command for the script, which returns [count, milliseconds left]. */
export type Client = Redis & { hitWindow(key: string, windowMs: number, by: number): Promise<[number, number]> };

/** A connection that never resends commands and never queues them while the server is unavailable. */
export class RedisLink {
  private readonly client: Client;
  private readonly url: URL;
  private readonly secrets: readonly string[];
  private readonly inFlight = new InFlight({ count: MAX_IN_FLIGHT, bytes: MAX_IN_FLIGHT_BYTES });
  private closing: Promise<void> | undefined;
  private said = '';
  private reason = 'not connected yet';
  private denied: { readonly reason: string; readonly untilMs: number } | undefined;

  constructor(private readonly options: ConnectionOptions) {
    const url = parseUrl(options.url);
    this.url = url;
    this.secrets = [url.password, decodeURIComponent(url.password)].filter((secret) => secret !== '');
    this.client = connect(url, options.commandTimeoutMs);
    this.client.on('error', (error) => {
      this.reason = this.textOf(error);
      this.say('warn', `REDIS_URL: ${this.reason}`);
    });
    this.client.on('ready', () => {
      this.say('info', this.said === '' ? `connected to ${url.host}` : `${url.host} is back`);
    });
  }

  get isReady(): boolean {
    return this.closing === undefined && this.client.status === 'ready';
  }

  /** Reason why some or all commands fail. The reason is publicly visible, so it omits the server's address. */
  get fault(): EngineFault | undefined {
    const isDenied = this.denied !== undefined && this.options.clock.monotonicMs() < this.denied.untilMs;
    if (this.isReady && !isDenied) return undefined;
    const reason = this.isReady && this.denied ? this.denied.reason : this.reason;
    const { host, hostname } = this.url;
    return { setting: 'REDIS_URL', reason: reason.replaceAll(host, 'the server').replaceAll(hostname, 'the server') };
  }

  /**
   * @param bytes approximate size of the command @throws CacheUnavailable if there is no connection, on a timeout, or
   * for an error response
   */
  async ask<T>(command: (client: Client) => Promise<T>, bytes = 0): Promise<T> {
    if (!this.isReady) throw new CacheUnavailable(this.closing ? 'The cache is closed.' : 'Redis is unavailable.');
    const tooMany = () => new CacheUnavailable('The command queue for Redis is full.');
    try {
      return await this.inFlight.run(bytes, () => command(this.client), tooMany);
    } catch (error) {
      if (error instanceof CacheUnavailable) throw error;
      // The driver's error contains the command with its keys and values, so it is not passed on.
      const text = this.textOf(error);
      if (DENIED.test(text)) this.deny(text);
      throw new CacheUnavailable(`Redis returned an error: ${text}`);
    }
  }

  /** Waits for pending responses, at most until they time out. */
  close(): Promise<void> {
    this.closing ??= this.inFlight.idle().then(() => {
      this.client.disconnect();
    });
    return this.closing;
  }

  private deny(reason: string): void {
    this.denied = { reason, untilMs: this.options.clock.monotonicMs() + DENIED_FOR_MS };
    this.say('warn', `REDIS_URL: ${reason}`);
  }

  private say(level: 'info' | 'warn', text: string): void {
    if (this.said === text || this.closing) return;
    this.said = text;
    this.options.logger[level]({ cache: 'redis' }, `Redis: ${text}`);
  }

  /**
   * Returns the text of an error without secrets. Older servers quote unknown commands in their errors. For AUTH, this
   * includes the password.
   */
  private textOf(error: unknown): string {
    const text = error instanceof Error ? error.message : String(error);
    return this.secrets.reduce((kept, secret) => kept.replaceAll(secret, '***'), text);
  }
}

/** @throws Error that omits the text, which may contain a password */
function parseUrl(text: string): URL {
  const fault = new Error('The Redis URL must have the form redis://user:password@host:6379/0 or rediss://…');
  let url: URL;
  try {
    url = new URL(text);
    decodeURIComponent(url.password + url.username);
  } catch {
    throw fault;
  }
  if (!['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '' || !/^\/?\d*$/.test(url.pathname)) {
    throw fault;
  }
  // Options in the query string would override the options passed to the driver.
  url.search = '';
  url.hash = '';
  return url;
}

function connect(url: URL, commandTimeoutMs: number): Client {
  return new Redis(url.href, {
    scripts: { hitWindow: { lua: HIT_SCRIPT, numberOfKeys: 1 } },
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    commandTimeout: commandTimeoutMs,
    // If the server remains silent for this long while commands are pending, the connection is closed, even before it
    // is ready.
    socketTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // With any other value, commands on a broken connection would wait for the next connection.
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: MAX_BACKOFF_MS,
    disableClientInfo: true,
    connectionName: 'kontor',
    retryStrategy: (attempts) => Math.ceil(backoffMs(attempts - 1, FIRST_BACKOFF_MS, MAX_BACKOFF_MS)),
    // READONLY means that the former primary is now a replica. The host name may now resolve to another server.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  }) as Client;
}
