import { BrokerRefused, type Broker, type BrokerMessage, type Published, type StoredMessage } from '../ports/broker.js';
import type { EngineFacts } from '../ports/engine.js';

/** What became of messages: stored, dropped by the broker as duplicates, refused for good, or not taken for now. */
export const PUBLISH_RESULTS = ['stored', 'duplicate', 'refused', 'unavailable'] as const;
/** One of PUBLISH_RESULTS. */
export type PublishResult = (typeof PUBLISH_RESULTS)[number];
/** Plain data: it crosses threads. */
export type PublishCounts = Record<PublishResult, number>;

/** Counts to begin with. */
export const noPublishes = (): PublishCounts => ({ stored: 0, duplicate: 0, refused: 0, unavailable: 0 });

/** A broker that counts what it is given; everything is passed on as it is. */
export class MeteredBroker implements Broker {
  constructor(
    private readonly inner: Broker,
    private readonly count: (result: PublishResult, messages: number) => void,
  ) {}

  async publish(message: BrokerMessage): Promise<Published> {
    try {
      const published = await this.inner.publish(message);
      this.note([published]);
      return published;
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
  }

  async publishInOrder(messages: readonly BrokerMessage[]): Promise<Published[]> {
    try {
      const published = await this.inner.publishInOrder(messages);
      this.note(published);
      return published;
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
  }

  browse(range: {
    readonly after: number;
    readonly limit: number;
    readonly subjectPrefix?: string;
  }): Promise<StoredMessage[]> {
    return this.inner.browse(range);
  }

  facts(): Promise<EngineFacts> {
    return this.inner.facts();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private note(published: readonly Published[]): void {
    const duplicates = published.reduce((sum, { duplicate }) => sum + Number(duplicate), 0);
    if (duplicates < published.length) this.count('stored', published.length - duplicates);
    if (duplicates > 0) this.count('duplicate', duplicates);
  }

  private noteFailure(error: unknown): void {
    this.count(error instanceof BrokerRefused ? 'refused' : 'unavailable', 1);
  }
}
