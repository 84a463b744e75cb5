import type { MongoClientOptions, WriteConcernSettings } from 'mongodb';

export type ConnectionSettings = {
  readonly database: string;
  /** Server-side timeout for a command. */
  readonly timeoutMs: number;
  /** Timeout for a call, including server selection. */
  readonly callTimeoutMs: number;
  /** Requires acknowledgement by a majority, so that a new primary has the write. */
  readonly majority: WriteConcernSettings;
  /** Defaults for options that are not set in the URL. */
  readonly options: MongoClientOptions;
};

const DATABASE = 'kontor';
const HEARTBEAT_MS = 2_000;
const MAX_CONNECTIONS = 32;

const parts = /^mongodb(?:\+srv)?:\/\/[^/?]*(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Derives the settings from the URL. Limits and pool sizes in the URL override the defaults. Guarantees cannot be
 * overridden (ADR 0049).
 * @throws URIError for an improperly encoded database name
 */
export function settingsOf(url: string, defaultTimeoutMs: number): ConnectionSettings {
  const [, database = '', query = ''] = parts.exec(url) ?? [];
  const given = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const milliseconds = (name: string, otherwise: number): number => {
    const value = Number(given.get(name.toLowerCase()));
    return Number.isSafeInteger(value) && value > 0 ? value : otherwise;
  };
  const timeoutMs = milliseconds('socketTimeoutMS', defaultTimeoutMs);
  const defaults = {
    appName: 'kontor',
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    maxPoolSize: MAX_CONNECTIONS,
  };
  return {
    database: database === '' ? DATABASE : decodeURIComponent(database),
    timeoutMs,
    callTimeoutMs: Math.max(timeoutMs, milliseconds('serverSelectionTimeoutMS', timeoutMs)),
    majority: { w: 'majority', wtimeoutMS: milliseconds('wtimeoutMS', timeoutMs) },
    options: Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.has(name.toLowerCase()))),
  };
}
