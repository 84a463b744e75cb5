/** Why an engine is unusable, for operators: the setting to correct and the server's reason. Contains no secret. */
export type EngineFault = { readonly setting: string; readonly reason: string };

/** Identity of an engine. */
export type EngineFacts = {
  readonly engine: 'sqlite' | 'memory' | 'eventstoredb' | 'mongodb' | 'nats' | 'redis';
  /** Null if the engine does not report it. */
  readonly version: string | null;
};
