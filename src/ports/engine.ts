/**
 * Explains to operators why an engine is unusable: the setting to correct and the server's reason. Contains no secrets.
 */
export type EngineFault = { readonly setting: string; readonly reason: string };

/** Name and version of an engine. */
export type EngineFacts = {
  readonly engine: 'sqlite' | 'memory' | 'eventstoredb' | 'mongodb' | 'nats' | 'redis';
  /** Null if the engine does not report it. */
  readonly version: string | null;
};
