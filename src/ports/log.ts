/** Nest's token of the service's logger. */
export const LOGGER = Symbol('LOGGER');

/** What the service logs through: pino's shape. Fields never hold secrets, tokens or bodies. */
export type Logger = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** Says nothing: for tests and tools. */
export const silentLogger: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
