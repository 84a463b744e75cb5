import { BrokerRefused, BrokerUnavailable, type Broker, type BrokerMessage } from '../../src/ports/broker.js';

/** Makes a real broker refuse some messages for good, or be away for a while; undone by `accept`. */
export function choosy(broker: Broker) {
  const publishInOrder = broker.publishInOrder.bind(broker);
  let refusalOf: (message: BrokerMessage) => Error | undefined = () => undefined;
  broker.publishInOrder = async (messages) => {
    const published = [];
    for (const message of messages) {
      const refusal = refusalOf(message);
      if (refusal) throw refusal;
      published.push(...(await publishInOrder([message])));
    }
    return published;
  };
  return {
    refuse: (isMeant: (message: BrokerMessage) => boolean) => {
      refusalOf = (message) =>
        isMeant(message) ? new BrokerRefused('PAYLOAD_REFUSED', 'The broker does not take this.') : undefined;
    },
    /** Away for the next message that is meant, once. */
    failNext: (isMeant: (message: BrokerMessage) => boolean) => {
      refusalOf = (message) => {
        if (!isMeant(message)) return undefined;
        refusalOf = () => undefined;
        return new BrokerUnavailable('The broker is away.');
      };
    },
    /** Away for every message that is not let through. */
    letThrough: (isTaken: () => boolean) => {
      refusalOf = () => (isTaken() ? undefined : new BrokerUnavailable('The broker is away.'));
    },
    goAway: () => {
      refusalOf = () => new BrokerUnavailable('The broker is away.');
    },
    accept: () => {
      refusalOf = () => undefined;
    },
  };
}
