import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedBroker } from '../../src/adapters/embedded/broker.js';
import { publishingFor, publishingIn, type PublishInThread } from '../../src/app/thread-broker.js';
import { ThreadCalls, type ThreadMessage } from '../../src/app/thread-calls.js';
import { type Broker, BrokerUnavailable } from '../../src/ports/broker.js';
import { overriding } from '../../src/ports/overriding.js';
import { brokerContract } from '../contracts/broker.contract.js';
import { ManualClock } from '../support/manual-clock.js';
import { messagesIn } from '../support/stored-messages.js';

type Methods = { readonly publish: PublishInThread };
const message = (id: string) => ({ id, subject: 'kontor.test', payload: '{}' });

/** Publishes as if the broker belonged to another thread. */
function elsewhere(broker: Broker): PublishInThread {
  const there: ThreadCalls<Methods, Methods> = new ThreadCalls(
    (sent: ThreadMessage) => {
      here.receive(structuredClone(sent));
      return true;
    },
    { publish: publishingFor(broker) },
  );
  const here: ThreadCalls<Methods, Methods> = new ThreadCalls((sent: ThreadMessage) => {
    there.receive(structuredClone(sent));
    return true;
  }, {});
  return (...given) => here.asked.publish(...given);
}

async function openIn(directory: string): Promise<EmbeddedBroker> {
  return EmbeddedBroker.open({ directory, clock: new ManualClock(), keptMessages: 1_000_000 });
}

brokerContract('The embedded log in another thread', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-broker-'));
  const own = await openIn(directory);
  return {
    broker: publishingIn({ isAlive: true, publish: elsewhere(own) }, own),
    stored: () => Promise.resolve(messagesIn(directory)),
    dispose: () => own.close().then(() => rm(directory, { recursive: true })),
  };
});

describe('A broker that publishes in another thread', () => {
  let directory: string;
  let own: EmbeddedBroker;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-broker-'));
    own = await openIn(directory);
  });
  afterEach(async () => {
    await own.close();
    await rm(directory, { recursive: true });
  });

  test('publishes in its own thread while the other one is not running', async () => {
    const publish = () => Promise.reject(new Error('the other thread is unavailable'));
    const broker = publishingIn({ isAlive: false, publish }, own);
    expect(await broker.publish(message('a'))).toEqual({ sequence: 1, duplicate: false });
  });

  test('publishes messages that are built on demand', async () => {
    const event = new (class {
      readonly headers = { 'content-type': 'text/plain' };
      get id() {
        return 'a';
      }
      get subject() {
        return 'kontor.test';
      }
      get payload() {
        return 'text';
      }
    })();
    await publishingIn({ isAlive: true, publish: elsewhere(own) }, own).publish(event);
    const stored = { id: 'a', subject: 'kontor.test', payload: 'text', headers: { 'content-type': 'text/plain' } };
    expect(messagesIn(directory)).toMatchObject([stored]);
  });

  test('is unavailable if the other thread ends, and the messages may be stored', async () => {
    const publish = () => Promise.reject(new Error('the thread ended'));
    const refusal: unknown = await publishingIn({ isAlive: true, publish }, own)
      .publish(message('a'))
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BrokerUnavailable);
    expect(refusal).toMatchObject({ mayBeStored: true });
    expect(messagesIn(directory)).toEqual([]);
  });

  test.each([true, false])('reports whether the messages may be stored (%s)', async (mayBeStored) => {
    const away = overriding<Broker, Broker>(own, {
      publishInOrder: () => Promise.reject(new BrokerUnavailable('The server is away.', undefined, mayBeStored)),
    });
    const broker = publishingIn({ isAlive: true, publish: elsewhere(away) }, own);
    await expect(broker.publish(message('a'))).rejects.toMatchObject({ message: 'The server is away.', mayBeStored });
  });
});
