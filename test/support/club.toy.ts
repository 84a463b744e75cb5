import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../../src/eventsourcing/aggregate.js';
import { claimAggregate } from '../../src/eventsourcing/claims.js';
import { projectionAggregate } from '../../src/projecting/projection-control.js';
import { EventCatalogue } from '../../src/eventsourcing/event-catalogue.js';
import { ofRecord, type AnyProjection, type Projection } from '../../src/projecting/projection.js';
import type { EventStore } from '../../src/ports/event-store.js';
import { PLATFORM, type ReadModel } from '../../src/ports/read-store.js';
import { appendAllNext } from './append-next.js';
import { member, memberStream, TENANT, type MemberEvent } from './member.toy.js';

/** Read models about the members and rooms of a fictional club, for tests of projections and subscribers. */
const roomEvents = { RoomOpened: domain('CREATE', 'room', z.object({ seats: z.number() })) };
type RoomEvent = EventOf<typeof roomEvents>;
const room: Aggregate<{ seats: number }, RoomEvent> = {
  name: 'room',
  events: roomEvents,
  initial: { seats: 0 },
  evolve: (_, { data }) => ({ seats: data.seats }),
};
/** The event that a replay appends to a dead letter's stream. */
const letterEvents = { LetterReplayed: domain('UPDATE', 'letter', z.object({})) };
const letter: Aggregate<null, EventOf<typeof letterEvents>> = {
  name: 'letter',
  events: letterEvents,
  initial: null,
  evolve: () => null,
};
export const catalogue = new EventCatalogue([member, room, letter, claimAggregate, projectionAggregate]);
/** The catalogue of a newer service version that was later rolled back. */
export const newerCatalogue = new EventCatalogue([
  { ...member, events: { ...member.events, MemberPromoted: domain('UPDATE', 'member', z.object({})) } },
  room,
  letter,
  claimAggregate,
  projectionAggregate,
]);
export const roomStream = (id: string): string => `room-${TENANT}_${id}`;

type MemberView = { id: string; email: string | null; greetings: number; revision: number };
const members: ReadModel<MemberView> = {
  name: 'members',
  version: 1,
  fields: { email: { type: 'text', of: ({ email }) => email } },
  filters: ['email'],
  order: { fields: ['email'], direction: 'ascending' },
};
/** Maintains one document per record until the record is deleted. */
export const memberProjection: Projection<MemberView, MemberEvent> = {
  model: members,
  sources: ['member'],
  documents: ofRecord,
  rarelyChanges: ({ email }) => email !== null,
  evolve: (view, event) => {
    const { revision } = event;
    switch (event.type) {
      case 'MemberJoined':
        return { id: event.recordId, email: event.data.email, greetings: 0, revision };
      case 'MemberEmailChanged':
        return view && { ...view, email: event.data.email, revision };
      case 'MemberGreeted':
        return view && { ...view, greetings: view.greetings + 1, revision };
      case 'MemberLeft':
        return undefined;
    }
  },
};

type GreeterView = { name: string; greetings: number; recent: readonly string[] };
const greeters: ReadModel<GreeterView> = {
  name: 'greeters',
  version: 1,
  fields: { greetings: { type: 'integer', of: ({ greetings }) => greetings } },
  filters: [],
  order: { fields: ['greetings'], direction: 'descending' },
};
/** Aggregates events across several streams and records the order in which they arrive. */
export const greeterProjection: Projection<GreeterView, MemberEvent> = {
  model: greeters,
  sources: ['member'],
  scope: () => PLATFORM,
  documents: (event) => (event.type === 'MemberGreeted' ? [event.data.by, 'everybody'] : []),
  evolve: (view, event, name) => ({
    name,
    greetings: (view?.greetings ?? 0) + 1,
    recent: [...(view?.recent ?? []), `${event.recordId}@${event.revision}`].slice(-5),
  }),
};

type RoomView = { id: string; seats: number };
const rooms: ReadModel<RoomView> = {
  name: 'rooms',
  version: 1,
  fields: { seats: { type: 'integer', of: ({ seats }) => seats } },
  filters: [],
  order: { fields: ['seats'], direction: 'ascending' },
};
export const roomProjection: Projection<RoomView, RoomEvent> = {
  model: rooms,
  sources: ['room'],
  documents: ofRecord,
  evolve: (_, { recordId: id, data }) => ({ id, seats: data.seats }),
};

export const clubProjections: readonly AnyProjection[] = [memberProjection, greeterProjection, roomProjection];

type Fact = { readonly stream: string; readonly type: string; readonly data: object };
export const facts = {
  joined: (who: string, email: string | null = null): Fact => ({
    stream: memberStream(who),
    type: 'MemberJoined',
    data: { email },
  }),
  greeted: (who: string, by: string): Fact => ({ stream: memberStream(who), type: 'MemberGreeted', data: { by } }),
  left: (who: string): Fact => ({ stream: memberStream(who), type: 'MemberLeft', data: {} }),
  fenced: (who: string): Fact => ({
    stream: memberStream(who),
    type: 'ClaimFenced',
    data: { claim: 'c', attemptId: 'a' },
  }),
  opened: (which: string, seats: number): Fact => ({ stream: roomStream(which), type: 'RoomOpened', data: { seats } }),
  replayed: (letterId: string): Fact => ({
    stream: `letter-${TENANT}_${letterId}`,
    type: 'LetterReplayed',
    data: {},
  }),
  rebuildRequested: (name: string, rebuildId: string): Fact => ({
    stream: `projection-platform_${name}`,
    type: 'ProjectionRebuildRequested',
    data: { rebuildId, version: 1, requestedAt: '2026-01-01T00:00:00Z' },
  }),
  rebuildCancelled: (name: string, rebuildId: string): Fact => ({
    stream: `projection-platform_${name}`,
    type: 'ProjectionRebuildCancelled',
    data: { rebuildId, cancelledAt: '2026-01-01T00:00:00Z' },
  }),
  unheard: (who: string): Fact => ({ stream: memberStream(who), type: 'MemberPromoted', data: {} }),
};

/** Appends facts in order, as other parts of the service would. Returns the position of the last fact. */
export async function happen(store: EventStore, ...all: readonly Fact[]): Promise<number> {
  const facts = all.map(({ stream, type, data }) => ({
    stream,
    events: [{ id: randomUUID(), type, data, metadata: { version: 1, tenantId: TENANT, timestamp: '2026-01-01' } }],
  }));
  const appended = await appendAllNext(store, facts);
  return appended.at(-1)?.position ?? -1;
}

const who = fc.constantFrom('ada', 'bob', 'eve');
/** Arbitrary facts about the club, in any order. */
export const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  who.map((id) => facts.joined(id)),
  fc.tuple(who, fc.constantFrom('kim', 'lea')).map(([id, by]) => facts.greeted(id, by)),
  who.map(facts.left),
  who.map(facts.fenced),
  fc.tuple(fc.constantFrom('red', 'blue'), fc.nat(9)).map(([id, seats]) => facts.opened(id, seats)),
);
