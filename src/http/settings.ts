export const SETTINGS = Symbol('SETTINGS');

/** What the HTTP layer is told of the configuration. */
export type HttpSettings = {
  /** How long a command's answer waits for the read models, milliseconds. */
  readonly readWaitMs: number;
};
