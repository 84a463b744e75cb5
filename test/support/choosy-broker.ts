import { BrokerRefused, BrokerUnavailable, type Broker, type BrokerMessage } from '../../src/ports/broker.js';

/**
 * Makes a real broker unavailable, or makes it reject some messages permanently. `accept` ends either fault.
 */
export function choosy(broker: Broker) {
  let isAnswerLost = false;
  const publishInOrder = broker.publishInOrder.bind(broker);
  let refusalOf: (message: BrokerMessage) => Error | undefined = () => undefined;
  broker.publishInOrder = async (messages, source) => {
    const taken: BrokerMessage[] = [];
    let refusal: Error | undefined;
    for (const message of messages) {
      line.attempts += 1;
      refusal = refusalOf(message);
      if (refusal) break;
      taken.push(message);
    }
    const published = await publishInOrder(taken, refusal ? undefined : source);
    if (refusal) throw refusal;
    if (isAnswerLost) throw new BrokerUnavailable('The answer was lost.');
    return published;
  };
  const line = {
    /** Number of messages received so far, whether or not they were stored. */
    attempts: 0,
    refuse: (isMeant: (message: BrokerMessage) => boolean) => {
      refusalOf = (message) =>
        isMeant(message) ? new BrokerRefused('PAYLOAD_REFUSED', 'The broker does not take this.') : undefined;
    },
    /** Makes the broker unavailable for the next matching message only. */
    failNext: (isMeant: (message: BrokerMessage) => boolean) => {
      refusalOf = (message) => {
        if (!isMeant(message)) return undefined;
        refusalOf = () => undefined;
        return new BrokerUnavailable('The broker is away.');
      };
    },
    /** Makes the broker unavailable for every message that does not match. */
    letThrough: (isTaken: (message: BrokerMessage) => boolean) => {
      refusalOf = (message) => (isTaken(message) ? undefined : new BrokerUnavailable('The broker is away.'));
    },
    /** Stores every message, but loses the acknowledgements. */
    loseAnswers: () => {
      isAnswerLost = true;
    },
    /** Makes the broker unavailable before any message is sent. */
    refuseConnection: () => {
      refusalOf = () => new BrokerUnavailable('The broker is away.', undefined, false);
    },
    goAway: () => {
      refusalOf = () => new BrokerUnavailable('The broker is away.');
    },
    accept: () => {
      isAnswerLost = false;
      refusalOf = () => undefined;
    },
  };
  return line;
}
