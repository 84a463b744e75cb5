import type { EventStore } from './event-store.js';

/**
 * Appends in call order, without waiting for the responses to preceding appends. After an append has failed, every later
 * one is rejected and stores nothing, so the store contains a beginning of the sequence. There is one exception: if a
 * server rejects an append or loses its order, it may have stored appends that were already in flight behind it. Their
 * promises resolve.
 */
export type AppendPipeline = Pick<EventStore, 'append'>;

/** An event store with pipelines, for appends of which none is expected to be rejected. */
export interface Pipelined {
  /** Opens a pipeline. It remains open until the store is closed. */
  pipeline(): AppendPipeline;
}
