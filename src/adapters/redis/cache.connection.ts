import { Redis } from 'ioredis';
import { CacheUnavailable } from '../../ports/cache.js';
import type { Logger } from '../../ports/log.js';
import { backoffMs } from '../backoff.js';
import { HIT_SCRIPT } from './cache.scripts.js';

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const DISCONNECT_TIMEOUT_MS = 50;
/** Commands that wait for their answers; beyond these the cache counts as away. */
const MAX_IN_FLIGHT = 10_000;
const MAX_IN_FLIGHT_BYTES = 33_554_432;

export type ConnectionOptions = {
  readonly url: string;
  readonly logger: Logger;
  readonly commandTimeoutMs: number;
};
/** The driver with our script: [count, milliseconds left]. */
export type Client = Redis & { hitWindow(key: string, windowMs: number, by: number): Promise<[number, number]> };

/** One connection that is either ready or refuses at once. Nothing waits for its return, nothing is sent twice. */
export class RedisLink {
  private readonly client: Client;
  private readonly secrets: readonly string[];
  private inFlight = 0;
  private inFlightBytes = 0;
  private idle: (() => void) | undefined;
  private closing: Promise<void> | undefined;
  private said = '';

  constructor(private readonly options: ConnectionOptions) {
    const url = parseUrl(options.url);
    this.secrets = [url.password, decodeURIComponent(url.password)].filter((secret) => secret !== '');
    this.client = connect(url, options.commandTimeoutMs);
    this.client.on('error', (error) => {
      this.say('warn', this.textOf(error));
    });
    this.client.on('ready', () => {
      this.say('info', this.said === '' ? `connected to ${url.host}` : `${url.host} is back`);
    });
  }

  get isReady(): boolean {
    return this.closing === undefined && this.client.status === 'ready';
  }

  /**
   * @param bytes roughly what the command weighs
   * @throws CacheUnavailable when there is no connection, no answer in time, or an answer that is an error
   */
  async ask<T>(command: (client: Client) => Promise<T>, bytes = 0): Promise<T> {
    if (!this.isReady) throw new CacheUnavailable(this.closing ? 'The cache is closed.' : 'Redis is away.');
    const isFull = this.inFlight >= MAX_IN_FLIGHT || this.inFlightBytes + bytes > MAX_IN_FLIGHT_BYTES;
    if (isFull) throw new CacheUnavailable('Too much waits for Redis.');
    this.inFlight += 1;
    this.inFlightBytes += bytes;
    try {
      return await command(this.client);
    } catch (error) {
      // The driver's error holds the command with its keys and values: it stays here.
      throw new CacheUnavailable(`Redis did not answer as it should: ${this.textOf(error)}`);
    } finally {
      this.inFlight -= 1;
      this.inFlightBytes -= bytes;
      if (this.inFlight === 0) this.idle?.();
    }
  }

  /** Waits for the answers that are on their way, no longer than their time-out. */
  close(): Promise<void> {
    this.closing ??= new Promise<void>((resolve) => {
      this.idle = resolve;
      if (this.inFlight === 0) resolve();
    }).then(() => {
      this.client.disconnect();
    });
    return this.closing;
  }

  private say(level: 'info' | 'warn', text: string): void {
    if (this.said === text || this.closing) return;
    this.said = text;
    this.options.logger[level]({ cache: 'redis' }, `Redis: ${text}`);
  }

  /** Old servers repeat the commands that they do not know, and with AUTH the password. */
  private textOf(error: unknown): string {
    const text = error instanceof Error ? error.message : String(error);
    return this.secrets.reduce((kept, secret) => kept.replaceAll(secret, '***'), text);
  }
}

/** @throws Error without the text, which may hold a password */
function parseUrl(text: string): URL {
  const fault = new Error('The address of Redis is not like redis://user:password@host:6379/0 or rediss://…');
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
  // The driver would take its options from there, before ours.
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
    // A server that is silent for so long while commands wait is given up, also before the connection is ready.
    socketTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // With any more, commands of a connection that broke would wait for the next one.
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: MAX_BACKOFF_MS,
    disableClientInfo: true,
    connectionName: 'kontor',
    retryStrategy: (attempts) => Math.ceil(backoffMs(attempts - 1, FIRST_BACKOFF_MS, MAX_BACKOFF_MS)),
    // What was the master has become a replica: another address may be behind the name now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  }) as Client;
}
