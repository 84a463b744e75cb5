import {
  type Broker,
  type BrokerMessage,
  BrokerRefused,
  BrokerUnavailable,
  type MessageSource,
  plainMessage,
  type Published,
} from '../ports/broker.js';
import { overriding } from '../ports/overriding.js';

/** The outcome of publishing. It replaces errors, which lose their class when they are sent between threads. */
type PublishOutcome =
  | { readonly published: Published[] }
  | { readonly refused: Pick<BrokerRefused, 'code' | 'message'> }
  | { readonly unavailable: Pick<BrokerUnavailable, 'message' | 'mayBeStored'> };

export type PublishInThread = (messages: readonly BrokerMessage[], source?: MessageSource) => Promise<PublishOutcome>;

/** The thread in which a broker publishes. A call rejects if the thread ends. */
export type PublishingThread = { readonly isAlive: boolean; readonly publish: PublishInThread };

/**
 * Publishes in the subscribers' thread while it is alive. The embedded broker waits for its file's lock and flushes the
 * file. In the serving thread, this would delay requests.
 */
export function publishingIn(thread: PublishingThread, own: Broker): Broker {
  const publishInOrder: Broker['publishInOrder'] = async (messages, source) => {
    if (!thread.isAlive) return own.publishInOrder(messages, source);
    // Computed members cannot be sent to another thread.
    const outcome = await thread.publish(messages.map(plainMessage), source).catch((error: unknown) => {
      throw new BrokerUnavailable('The thread that publishes has ended.', error);
    });
    return publishedBy(outcome);
  };
  return overriding<Broker, Broker>(own, {
    publishInOrder,
    publish: async (message) => {
      const [published] = await publishInOrder([message]);
      return published as Published;
    },
  });
}

function publishedBy(outcome: PublishOutcome): Published[] {
  if ('published' in outcome) return outcome.published;
  if ('refused' in outcome) throw new BrokerRefused(outcome.refused.code, outcome.refused.message);
  const { message, mayBeStored } = outcome.unavailable;
  throw new BrokerUnavailable(message, undefined, mayBeStored);
}

/** Publishes on behalf of another thread. */
export const publishingFor =
  (broker: Broker): PublishInThread =>
  async (messages, source) => {
    try {
      return { published: await broker.publishInOrder(messages, source) };
    } catch (error) {
      if (error instanceof BrokerRefused) return { refused: { code: error.code, message: error.message } };
      if (!(error instanceof BrokerUnavailable)) throw error;
      return { unavailable: { message: error.message, mayBeStored: error.mayBeStored } };
    }
  };
