import fc from 'fast-check';
import type { StoredMessage } from '../support/stored-messages.js';
import { type Broker, type BrokerMessage, BrokerRefused, BrokerUnavailable } from '../../src/ports/broker.js';

export type BrokerUnderTest = {
  /** The broker under test. It is initially empty, and accepts subjects that begin with `kontor.`. */
  readonly broker: Broker;
  /** All stored messages, in order. */
  readonly stored: () => Promise<readonly StoredMessage[]>;
  /** Called after each test, when the broker may already be closed. */
  readonly dispose: () => Promise<void>;
};

let made = 0;
const message = (given: Partial<BrokerMessage> = {}): BrokerMessage => ({
  id: `message-${++made}`,
  subject: 'kontor.sales.booked',
  payload: '{}',
  ...given,
});

/** Declares tests of the guarantees that every Broker adapter must provide. */
export function brokerContract(name: string, open: () => Promise<BrokerUnderTest>): void {
  describe(`${name} as a broker`, () => {
    let broker: Broker;
    let all: () => Promise<readonly StoredMessage[]>;
    let dispose: () => Promise<void>;
    beforeEach(async () => {
      ({ broker, stored: all, dispose } = await open());
    });
    afterEach(() => dispose());

    test('stores the messages of a group in order, among other messages', async () => {
      const [a, b, c] = [message(), message(), message()];
      const [acks] = await Promise.all([broker.publishInOrder([a, b, c]), broker.publish(message())]);
      expect(acks.map(({ duplicate }) => duplicate)).toEqual([false, false, false]);
      const ids = (await all()).map(({ id }) => id).filter((id) => [a.id, b.id, c.id].includes(id));
      expect(ids).toEqual([a.id, b.id, c.id]);
      const again = await broker.publishInOrder([a, b, c]);
      expect(again).toEqual(acks.map(({ sequence }) => ({ sequence, duplicate: true })));
    });

    test('stores the messages of a group that precede a rejected one, and none after it', async () => {
      const [first, refused, last] = [message(), message({ subject: 'not a subject' }), message()];
      await expect(broker.publishInOrder([first, refused, last])).rejects.toBeInstanceOf(BrokerRefused);
      expect((await all()).map(({ id }) => id)).toEqual([first.id]);
    });

    test('returns a stored message as it was published', async () => {
      const published = message({
        headers: { 'ce-id': '0197', 'ce-type': 'SaleBooked', Empty: '' },
        payload: '{"name":"Zoë 🧾","text":"line\\nline"}',
      });
      const { sequence } = await broker.publish(published);
      const [stored, ...others] = await all();
      expect(others).toEqual([]);
      expect(stored).toMatchObject({ ...published, sequence });
      expect(Number.isFinite(stored?.storedAtMs)).toBe(true);
    });

    test('acknowledges with increasing sequences', async () => {
      const first = await broker.publish(message());
      const second = await broker.publish(message());
      expect(first).toEqual({ sequence: first.sequence, duplicate: false });
      expect(first.sequence).toBeGreaterThan(0);
      expect(second.sequence).toBeGreaterThan(first.sequence);
    });

    test('stores the messages of concurrent calls in call order', async () => {
      const messages = Array.from({ length: 2_500 }, (_, index) => message({ payload: String(index) }));
      const acks = await Promise.all(messages.map((each) => broker.publish(each)));
      const stored = await all();
      expect(stored.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
      expect(stored.map(({ sequence }) => sequence)).toEqual(acks.map(({ sequence }) => sequence));
    });

    test('keeps a message once, however often it is published, and always returns its sequence', async () => {
      const original = message({ payload: 'first' });
      const first = await broker.publish(original);
      await broker.publish(message());
      const again = await broker.publish({ ...original, payload: 'second' });
      expect(again).toEqual({ sequence: first.sequence, duplicate: true });
      expect((await all()).filter(({ id }) => id === original.id)).toMatchObject([{ payload: 'first' }]);
    });

    test('keeps one of several messages with the same id that are published concurrently', async () => {
      const twin = message();
      const acks = await Promise.all([twin, twin, message(), twin].map((each) => broker.publish(each)));
      expect(acks.map(({ duplicate }) => duplicate)).toEqual([false, true, false, true]);
      expect(new Set([acks[0], acks[1], acks[3]].map((ack) => ack?.sequence)).size).toBe(1);
      expect(await all()).toHaveLength(2);
    });

    test('holds exactly the first message with each id after any mix of publish calls', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fc.nat({ max: 12 }), { maxLength: 8 }), { maxLength: 6 }),
          async (rounds) => {
            const prefix = `kontor.property.${++run}`;
            const expected = new Map<string, string>();
            for (const [round, keys] of rounds.entries()) {
              const messages = keys.map((key, index) => ({
                id: `${prefix}-${key}`,
                subject: prefix,
                payload: `${round}/${index}`,
              }));
              for (const { id, payload } of messages) if (!expected.has(id)) expected.set(id, payload);
              await Promise.all(messages.map((each) => broker.publish(each)));
            }
            const stored = await all();
            expect(stored.filter(({ subject }) => subject === prefix).map(({ id, payload }) => [id, payload])).toEqual([
              ...expected,
            ]);
          },
        ),
        { numRuns: 30 },
      );
    });

    test('permanently rejects a message that is too large, and accepts the others', async () => {
      const before = broker.publish(message());
      const tooLarge = broker.publish(message({ payload: 'x'.repeat(1_048_577) }));
      const after = broker.publish(message());
      await expect(tooLarge).rejects.toBeInstanceOf(BrokerRefused);
      await expect(tooLarge).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      await Promise.all([before, after]);
      expect(await all()).toHaveLength(2);
    });

    test('measures a message in bytes, not in characters', async () => {
      await expect(broker.publish(message({ payload: '€'.repeat(400_000) }))).rejects.toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
      });
    });

    test('accepts a message of a million bytes', async () => {
      const large = message({ payload: 'x'.repeat(1_000_000) });
      await broker.publish(large);
      expect((await all())[0]?.payload).toBe(large.payload);
    });

    test.each([
      ['nothing', ''],
      ['an empty token', 'kontor..sales'],
      ['an empty first token', '.kontor'],
      ['an empty last token', 'kontor.'],
      ['a wildcard', 'kontor.*.sales'],
      ['the multi-token wildcard', 'kontor.>'],
      ['a space', 'kontor.sales booked'],
      ['a line break', 'kontor.sales\r\nPUB kontor.forged 0'],
      ['a NUL', 'kontor.sales\0'],
    ])('permanently rejects a subject with %s', async (_what, subject) => {
      const refused = broker.publish(message({ subject }));
      await expect(refused).rejects.toBeInstanceOf(BrokerRefused);
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_SUBJECT' });
      expect(await all()).toEqual([]);
    });

    test('rejects headers and ids that could forge others', async () => {
      await expect(broker.publish(message({ headers: { 'ce-id': 'a\r\nNats-Msg-Id: b' } }))).rejects.toMatchObject({
        code: 'INVALID_HEADER',
      });
      await expect(broker.publish(message({ headers: { 'ce id:': 'a' } }))).rejects.toMatchObject({
        code: 'INVALID_HEADER',
      });
      await expect(broker.publish(message({ id: 'a\nb' }))).rejects.toMatchObject({ code: 'INVALID_ID' });
      await expect(broker.publish(message({ id: '' }))).rejects.toMatchObject({ code: 'INVALID_ID' });
      await expect(broker.publish(message({ id: ' a' }))).rejects.toMatchObject({ code: 'INVALID_ID' });
      expect(await all()).toEqual([]);
    });

    test('reports its engine until it is closed', async () => {
      const { engine, version } = await broker.facts();
      expect(['sqlite', 'nats']).toContain(engine);
      expect(version).toMatch(/^\d+\.\d+/);
      await broker.close();
      await expect(broker.facts()).rejects.toBeInstanceOf(BrokerUnavailable);
    });

    test('completes pending messages when it closes, and accepts none afterwards', async () => {
      const underWay = Array.from({ length: 20 }, () => broker.publish(message()));
      await broker.close();
      const outcomes = await Promise.allSettled(underWay);
      expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'fulfilled'));
      await expect(broker.publish(message())).rejects.toBeInstanceOf(BrokerUnavailable);
      await broker.close();
    });
  });
}
