import { token } from './token.js';

/** Nest's injection token for the service's logger. */
export const LOGGER = token<Logger>('LOGGER');

/** Logger with pino's signature. Fields never contain secrets, tokens or request bodies. */
export type Logger = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** Discards everything. For tests and tools. */
export const silentLogger: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
