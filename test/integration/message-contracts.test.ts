import { catalogue } from '../../src/app/catalogue.js';
import { CLAIM_FENCED } from '../../src/eventsourcing/event-catalogue.js';
import { contracts, typeOf } from '../../src/integration/contracts.js';
import { messagesOf } from '../../src/integration/event-messages.js';
import { publicEventTypes, translate } from '../../src/integration/translations.js';
import type { CloudEvent } from '../../src/integration/contracts-fields.js';
import { plainMessage } from '../../src/ports/broker.js';
import { ensureContract } from '../support/contract-check.js';
import { recordings } from '../support/corpus.js';

// The service does not validate messages when it publishes them, so this suite validates the messages of all recorded
// events. test/reliability/old-events.test.ts checks that the recordings contain every version of every public event
// type. test/http/integration-event-contracts.test.ts generates further events.

const recorded = recordings().flatMap(({ name, events }) =>
  events
    .filter(({ type }) => type !== CLAIM_FENCED)
    .map((event, position) => ({ name, event: catalogue.decode({ ...event, position, recordedAtMs: 0 }) })),
);
const faultOf = (check: () => void): string | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    return String(error);
  }
};

test('Every message of every recorded event matches its contract, also as a repeat', () => {
  const faults = recorded.flatMap(({ name, event }) =>
    [undefined, { by: 'rewind.1' }].flatMap((again) =>
      messagesOf(event, again).map(({ subject, payload }) => {
        const fault = faultOf(() => {
          ensureContract({ subject, event: JSON.parse(payload) as CloudEvent });
        });
        return fault && [name, event.type, event.position, fault];
      }),
    ),
  );
  expect(faults.length).toBeGreaterThan(1_000);
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
});

test('Every recorded public event has messages, and together they cover every contract', () => {
  const seen = new Set<string>();
  for (const { event } of recorded) {
    const messages = translate(event);
    expect([event.type, messages.length > 0]).toEqual([event.type, publicEventTypes.includes(event.type)]);
    for (const { event: made } of messages) seen.add(made.type);
  }
  expect([...seen].sort()).toEqual(contracts.map(typeOf));
});

test('The messages of an event are the same in every translation, with ids that no other event has', () => {
  for (const { name } of recordings()) {
    const own = recorded.filter((one) => one.name === name).map(({ event }) => event);
    const once = own.flatMap((event) => messagesOf(event).map(plainMessage));
    const again = own
      .toReversed()
      .map((event) => messagesOf({ ...event, data: structuredClone(event.data) }).map(plainMessage));
    expect(again.toReversed().flat()).toEqual(once);
    expect(new Set(once.map(({ id }) => id)).size).toBe(once.length);
  }
});

test('The messages with one subject have increasing sequences, except that the booking is always the last', () => {
  const bySubject = new Map<string, { readonly type: string; readonly sequence: number }[]>();
  for (const { name, event } of recorded)
    for (const { event: message } of translate(event)) {
      const about = `${name} ${message.subject}`;
      const known = bySubject.get(about) ?? [];
      bySubject.set(about, [...known, { type: message.type, sequence: Number(message.sequence) }]);
    }
  let compared = 0;
  for (const [about, messages] of bySubject) {
    const isBooked = messages.at(-1)?.type === 'kontor.sale.booked.v1';
    const others = isBooked ? messages.slice(0, -1) : messages;
    expect([about, others.some(({ type }) => type === 'kontor.sale.booked.v1')]).toEqual([about, false]);
    const sequences = others.map(({ sequence }) => sequence);
    expect([about, sequences]).toEqual([about, [...new Set(sequences)].sort((a, b) => a - b)]);
    compared += messages.length - 1;
  }
  expect(compared).toBeGreaterThan(100);
});
