import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { domain, type Aggregate, type Claim, type EventOf } from '../../src/eventsourcing/aggregate.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { claimAggregate, Claims } from '../../src/eventsourcing/claims.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext, type RequestContext } from '../../src/eventsourcing/context.js';
import { conflict, notFound } from '../../src/eventsourcing/domain-error.js';
import { EventCatalogue } from '../../src/eventsourcing/event-catalogue.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import type { EventStore } from '../../src/ports/event-store.js';
import type { Clock, Ids } from '../../src/ports/time.js';

/** A fictional record for platform tests: a member of a club, with an optional, unique e-mail address. */
export const TENANT = '0192f0c1-0000-7000-8000-00000000000a';
export const OTHER_TENANT = '0192f0c1-0000-7000-8000-00000000000b';

const email = z.object({ email: z.string().nullable() });
export const memberEvents = {
  MemberJoined: domain('CREATE', 'member', email),
  MemberEmailChanged: domain('UPDATE', 'member', email),
  MemberGreeted: domain('UPDATE', 'member', z.object({ by: z.string() })),
  MemberLeft: domain('DELETE', 'member', z.object({})),
};
export type MemberEvent = EventOf<typeof memberEvents>;
export type Member = {
  readonly status: 'absent' | 'present' | 'left';
  readonly email: string | null;
  readonly greetings: readonly string[];
};

export const emailClaim = (value: string): Claim => ({
  scope: TENANT,
  kind: 'member-email',
  value,
  refusal: { code: 'EMAIL_TAKEN', message: 'Another member has this address.' },
});

export const member: Aggregate<Member, MemberEvent> = {
  name: 'member',
  events: memberEvents,
  initial: { status: 'absent', email: null, greetings: [] },
  evolve: (state, event) => {
    switch (event.type) {
      case 'MemberJoined':
        return { ...state, status: 'present', email: event.data.email };
      case 'MemberEmailChanged':
        return { ...state, email: event.data.email };
      case 'MemberGreeted':
        return { ...state, greetings: [...state.greetings, event.data.by] };
      case 'MemberLeft':
        return { ...state, status: 'left', email: null };
    }
  },
  claims: (state) => (state.status === 'present' && state.email !== null ? [emailClaim(state.email)] : []),
};

const ensurePresent = (state: Member): void => {
  if (state.status !== 'present') throw notFound('member');
};

export const join = (state: Member, data: { email: string | null }): MemberEvent[] => {
  if (state.status === 'left') throw conflict('MEMBER_LEFT', 'The member has left.');
  return state.status === 'absent' ? [{ type: 'MemberJoined', data }] : [];
};
export const changeEmail = (state: Member, data: { email: string | null }): MemberEvent[] => {
  ensurePresent(state);
  return state.email === data.email ? [] : [{ type: 'MemberEmailChanged', data }];
};
/** Adds a greeting. This decision is not idempotent. */
export const greet = (state: Member, data: { by: string }): MemberEvent[] => {
  ensurePresent(state);
  return [{ type: 'MemberGreeted', data }];
};
export const leave = (state: Member): MemberEvent[] =>
  state.status === 'present' ? [{ type: 'MemberLeft', data: {} }] : [];

export const clubCatalogue = new EventCatalogue([member, claimAggregate]);
export const memberStream = (id: string): string => `member-${TENANT}_${id}`;

/** Creates one process of the service, with separate caches and queues on the shared store. */
export function replica(store: EventStore, clock: Clock, ids: Ids, random: () => number = () => 0.5) {
  const reader = new RecordReader(store, clubCatalogue, clock);
  const appender = new Appender(store, clubCatalogue, clock);
  const claims = new Claims(reader, appender, clubCatalogue, clock, ids);
  const memberships = new Memberships(reader, appender, clubCatalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock, random);
  const target = (id: string) => ({ tenantId: TENANT, id });
  return {
    reader,
    appender,
    claims,
    runner,
    read: (id: string) => reader.read(member, TENANT, id),
    join: (id: string, email: string | null = null, context?: Partial<RequestContext>) =>
      asRequest(() => runner.execute(member, target(id), { email }, join), context),
    changeEmail: (id: string, email: string | null, context?: Partial<RequestContext>) =>
      asRequest(() => runner.execute(member, target(id), { email }, changeEmail), context),
    greet: (id: string, by: string, context?: Partial<RequestContext>) =>
      asRequest(() => runner.execute(member, target(id), { by }, greet), context),
    leave: (id: string, context?: Partial<RequestContext>) =>
      asRequest(() => runner.execute(member, target(id), {}, leave), context),
  };
}
export type Replica = ReturnType<typeof replica>;

/** Runs `work` in a separate request context. */
export const asRequest = <T>(work: () => T, given: Partial<RequestContext> = {}): T => {
  const id = randomUUID();
  return inContext(
    {
      tenantId: TENANT,
      actor: { kind: 'system', name: 'test' },
      requestId: id,
      correlationId: id,
      commandId: id,
      ...given,
    },
    work,
  );
};
