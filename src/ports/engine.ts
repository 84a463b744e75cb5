/** What an engine says of itself. */
export type EngineFacts = {
  readonly engine: 'sqlite' | 'memory' | 'eventstoredb' | 'mongodb' | 'nats' | 'redis';
  /** Null where it does not tell. */
  readonly version: string | null;
};
