import type { EngineFacts } from './engine.js';

/** The broker carries integration events to others. It is a copy of what the history says, never the record. */
export const BROKER = Symbol('BROKER');

/** A message as it is published. */
export type BrokerMessage = {
  /** Messages with an id that the broker has stored within its duplicate window are acknowledged and dropped. */
  readonly id: string;
  /** Dot-separated tokens of visible characters, without wildcards. */
  readonly subject: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload: string;
};
/** A message as the broker has it. `sequence` grows in the order of storing; `storedAtMs` is since 1970. */
export type StoredMessage = BrokerMessage & { readonly sequence: number; readonly storedAtMs: number };
/** Where the message lies; `duplicate`: it was there before, and nothing was stored. */
export type Published = { readonly sequence: number; readonly duplicate: boolean };

/** Keeps messages for others, in the order in which it took them. */
export interface Broker {
  /**
   * Resolves when the broker has stored the message (at-least-once for the caller that retries). Messages of concurrent
   * calls are stored in the order of the calls.
   * @throws BrokerRefused when it will never be taken, BrokerUnavailable when it may be later
   */
  publish(message: BrokerMessage): Promise<Published>;
  /**
   * One after another, each only when those before it are stored; an engine that can does them in one flush. Those
   * before a failure stay. @throws what `publish` throws, for the first that failed
   */
  publishInOrder(messages: readonly BrokerMessage[]): Promise<Published[]>;
  /** Stored messages in order of sequence: for tests. `subjectPrefix` compares whole leading text. */
  browse(range: {
    readonly after: number;
    readonly limit: number;
    readonly subjectPrefix?: string;
  }): Promise<StoredMessage[]>;
  /** Asks the engine who it is: one round trip. @throws BrokerUnavailable */
  facts(): Promise<EngineFacts>;
  close(): Promise<void>;
}

/** The message itself is at fault (too large, bad subject): trying again cannot help. */
export class BrokerRefused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'BrokerRefused';
  }
}

/** The broker is away or did not answer in time; the message may or may not be stored. Publish again with the same id. */
export class BrokerUnavailable extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
  ) {
    super(message);
    this.name = 'BrokerUnavailable';
  }
}
