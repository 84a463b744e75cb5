import type { EngineFacts, EngineFault } from './engine.js';
import type { Position } from './event-store.js';

/**
 * Delivers integration events to other systems. The broker holds copies of events. The event store remains the system
 * of record.
 */
export const BROKER = Symbol('BROKER');

/** A message. Its members may be computed by getters, so `plainMessage` copies a message, and spreading it does not. */
export type BrokerMessage = {
  /**
   * Deduplication key. The broker acknowledges and drops a message whose id it has stored within its duplicate window.
   */
  readonly id: string;
  /** Dot-separated tokens of visible characters, without wildcards. */
  readonly subject: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload: string;
};
/** Returns a copy whose members are values, not getters. */
export const plainMessage = ({ id, subject, headers, payload }: BrokerMessage): BrokerMessage => ({
  id,
  subject,
  ...(headers && { headers }),
  payload,
});
/** The recorded event from which messages were derived and can be derived again. */
export type MessageSource = { readonly eventId: string; readonly position: Position };
/** `sequence` increases in storage order. `duplicate` is true if the message was already stored. */
export type Published = { readonly sequence: number; readonly duplicate: boolean };

/** Stores messages for other systems in publish order. */
export interface Broker {
  /**
   * Resolves when the broker has stored the message (at least once, provided that the caller retries). Messages from
   * concurrent calls are stored in call order.
   * @throws BrokerRefused when the broker will never accept the message, BrokerUnavailable when a retry may succeed
   */
  publish(message: BrokerMessage): Promise<Published>;
  /**
   * Publishes sequentially: each message is stored only after all preceding ones. An engine that supports sequential
   * publishing flushes all messages together. Messages that were stored before a failure remain stored. Pass `source`
   * only if these are all the messages of the event and they are being published for the first time. An engine that
   * runs alongside the history may then store the source instead of the messages.
   * @throws the error of `publish` for the first message that failed
   */
  publishInOrder(messages: readonly BrokerMessage[], source?: MessageSource): Promise<Published[]>;
  /** Reports the engine's name and version in one round trip. @throws BrokerUnavailable */
  facts(): Promise<EngineFacts>;
  /** Reason why the engine is unusable, or undefined when it is available. Performs no I/O. */
  fault?(): EngineFault | undefined;
  close(): Promise<void>;
}

/**
 * The message itself is invalid, for example because it is too large or its subject is malformed. A retry cannot
 * succeed.
 */
export class BrokerRefused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'BrokerRefused';
  }
}

/**
 * The broker is unavailable or timed out. Retry with the same id. `mayBeStored` is false only if it is certain that
 * neither this message nor an earlier message in the same call was sent.
 */
export class BrokerUnavailable extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
    readonly mayBeStored = true,
  ) {
    super(message);
    this.name = 'BrokerUnavailable';
  }
}
