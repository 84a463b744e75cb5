import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import {
  ACCOUNT_DEFAULTS_ID,
  accountDefaults,
  seedDefaultAccounts,
  setDefaultAccount,
} from '../../src/aggregates/account-defaults.aggregate.js';
import { account, createAccount, deleteAccount, updateAccount } from '../../src/aggregates/account.aggregate.js';
import { createRole, deleteRole, role } from '../../src/aggregates/role.aggregate.js';
import { createUser, deleteUser, updateUser, user, type UpdateUser } from '../../src/aggregates/user.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import type { EventStore } from '../../src/ports/event-store.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { asRequest, TENANT } from '../support/member.toy.js';
import { whileTimePasses } from '../support/while-time-passes.js';

const ids = new SeededIds(7);

/** Creates one process of the service. */
function replica(store: EventStore, clock: ManualClock) {
  const reader = new RecordReader(store, catalogue, clock);
  const appender = new Appender(store, catalogue, clock);
  const claims = new Claims(reader, appender, catalogue, clock, ids);
  const memberships = new Memberships(reader, appender, catalogue, clock, ids);
  const runner = new CommandRunner(reader, appender, claims, memberships, clock);
  const target = (id: string) => ({ tenantId: TENANT, id });
  const inTime = <T>(work: () => Promise<T>): Promise<T> => whileTimePasses(clock, asRequest(work));
  const change = (id: string, patch: UpdateUser) =>
    asRequest(() => runner.execute(user, target(id), patch, updateUser));
  return {
    reader,
    hire: (id: string, what: { role?: 'OWNER' | 'ADMIN'; roleIds?: string[]; email?: string } = {}) =>
      inTime(() =>
        runner.execute(
          user,
          target(id),
          {
            ...{ fullName: id, email: `${id}@kontor.test`, role: 'USER' as const, isActive: true, passwordHash: 'x' },
            ...what,
          },
          createUser,
        ),
      ),
    change,
    dismiss: (id: string) => asRequest(() => runner.execute(user, target(id), {}, deleteUser)),
    makeRole: (id: string) => inTime(() => runner.execute(role, target(id), { name: id, permissions: [] }, createRole)),
    open: (id: string) =>
      inTime(() =>
        runner.execute(
          account,
          target(id),
          { type: 'CASH', code: null, name: id, isActive: true, currency: 'EUR', isSystem: false },
          createAccount,
        ),
      ),
    close: (id: string) => asRequest(() => runner.execute(account, target(id), { isActive: false }, updateAccount)),
    drop: (id: string) => asRequest(() => runner.execute(account, target(id), {}, deleteAccount)),
    prefer: (accountId: string) =>
      asRequest(() =>
        runner.execute(accountDefaults, target(ACCOUNT_DEFAULTS_ID), { type: 'CASH', accountId }, setDefaultAccount),
      ),
    seed: (id: string) =>
      inTime(() =>
        runner.execute(accountDefaults, target(ACCOUNT_DEFAULTS_ID), { defaults: { CASH: id } }, seedDefaultAccounts),
      ),
    defaults: async () => {
      const { state } = await reader.read(accountDefaults, TENANT, ACCOUNT_DEFAULTS_ID);
      return state.byType;
    },
    dropRole: (id: string) => asRequest(() => runner.execute(role, target(id), {}, deleteRole)),
    owners: async (...who: readonly string[]) => {
      const states = await Promise.all(who.map((id) => reader.read(user, TENANT, id)));
      return who.filter((_, index) => {
        const state = states[index]?.state;
        return state?.status === 'active' && state.role === 'OWNER';
      });
    },
  };
}

const userStream = (id: string): string => `user-${TENANT}_${id}`;
const codeOf = (result: PromiseSettledResult<unknown>): string =>
  result.status === 'fulfilled' ? 'done' : (result.reason as { code: string }).code;

describe('A required member of a tenant', () => {
  let directory: string;
  let store: EmbeddedEventStore;
  let clock: ManualClock;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-memberships-'));
    clock = new ManualClock();
    store = EmbeddedEventStore.open({ directory, clock: new ManualClock() });
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test.each<[string, UpdateUser | 'dismiss']>([
    ['demoted', { role: 'ADMIN' }],
    ['deactivated', { isActive: false }],
    ['deleted', 'dismiss'],
  ])('cannot be %s if it is the last one', async (_what, how) => {
    const one = replica(store, clock);
    await one.hire('ada', { role: 'OWNER' });
    await one.hire('bob', { role: 'ADMIN' });
    const leave = () => (how === 'dismiss' ? one.dismiss('ada') : one.change('ada', how));
    await expect(leave()).rejects.toMatchObject({ kind: 'conflict', code: 'LAST_OWNER' });
    await one.change('bob', { role: 'OWNER' });
    await leave();
    expect(await one.owners('ada', 'bob')).toEqual(['bob']);
    await expect(one.change('bob', { role: 'ADMIN' })).rejects.toMatchObject({ code: 'LAST_OWNER' });
  });

  test('remains when two demote each other concurrently, 200 times, in one process and in two', async () => {
    const [a, b] = [replica(store, clock), replica(store, clock)];
    await a.hire('ada', { role: 'OWNER' });
    await a.hire('bob', { role: 'OWNER' });
    for (let round = 0; round < 200; round += 1) {
      const other = round % 2 === 0 ? a : b;
      const results = await whileTimePasses(
        clock,
        Promise.allSettled([a.change('ada', { role: 'ADMIN' }), other.change('bob', { role: 'ADMIN' })]),
      );
      expect(results.map(codeOf).sort()).toEqual(['LAST_OWNER', 'done']);
      const left = await a.owners('ada', 'bob');
      expect(left).toHaveLength(1);
      await a.change(left[0] === 'ada' ? 'bob' : 'ada', { role: 'OWNER' });
    }
  });

  test('does not count during its removal, which fails after five seconds', async () => {
    const paused = new FaultyEventStore(store);
    const [slow, quick] = [replica(paused, clock), replica(store, clock)];
    for (const who of ['ada', 'bob']) await quick.hire(who, { role: 'OWNER' });
    const pause = paused.pauseAppendTo(userStream('ada'));
    const leaving = slow.change('ada', { isActive: false });
    await pause.reached;
    await expect(quick.change('bob', { role: 'USER' })).rejects.toMatchObject({ code: 'LAST_OWNER' });
    await clock.advance(6_000);
    await whileTimePasses(clock, quick.change('bob', { role: 'USER' }));
    pause.resume();
    await expect(whileTimePasses(clock, leaving)).rejects.toMatchObject({ code: 'LAST_OWNER' });
    expect(await quick.owners('ada', 'bob')).toEqual(['ada']);
  });

  test('does not count before it is added', async () => {
    const paused = new FaultyEventStore(store);
    const [slow, quick] = [replica(paused, clock), replica(store, clock)];
    await quick.hire('ada', { role: 'OWNER' });
    await quick.hire('bob');
    const pause = paused.pauseAppendTo(userStream('bob'));
    const joining = slow.change('bob', { role: 'OWNER' });
    await pause.reached;
    await expect(quick.change('ada', { role: 'USER' })).rejects.toMatchObject({ code: 'LAST_OWNER' });
    pause.resume();
    await joining;
    await quick.change('ada', { role: 'USER' });
    expect(await quick.owners('ada', 'bob')).toEqual(['bob']);
  });

  test('is never a role, not even one whose deletion failed', async () => {
    const paused = new FaultyEventStore(store);
    const [slow, quick] = [replica(paused, clock), replica(store, clock)];
    await quick.hire('ada', { role: 'OWNER' });
    await quick.makeRole('till');
    const pause = paused.pauseAppendTo(`role-${TENANT}_till`);
    const dropping = slow.dropRole('till');
    await pause.reached;
    await clock.advance(6_000);
    await expect(quick.change('ada', { role: 'USER' })).rejects.toMatchObject({ code: 'LAST_OWNER' });
    pause.resume();
    await whileTimePasses(clock, dropping);
  });

  describe('A role', () => {
    test('cannot be deleted while users have it', async () => {
      const one = replica(store, clock);
      await one.makeRole('till');
      await one.hire('ada', { roleIds: ['till'] });
      await expect(one.dropRole('till')).rejects.toMatchObject({ kind: 'conflict', code: 'ROLE_IN_USE' });
      await one.change('ada', { roleIds: [] });
      await one.dropRole('till');
      const again = one.change('ada', { roleIds: ['till'] });
      await expect(again).rejects.toMatchObject({ kind: 'not_found', details: { errors: [{ path: 'roleIds' }] } });
    });

    test('cannot be assigned if it never existed', async () => {
      const one = replica(store, clock);
      await expect(one.hire('ada', { roleIds: ['nothing'] })).rejects.toMatchObject({ kind: 'not_found' });
    });

    test('leaves the address of the rejected user free immediately', async () => {
      const one = replica(store, clock);
      await expect(one.hire('ada', { roleIds: ['nothing'] })).rejects.toMatchObject({ kind: 'not_found' });
      const beganAtMs = clock.monotonicMs();
      await one.hire('other', { email: 'ada@kontor.test' });
      expect(clock.monotonicMs()).toBe(beganAtMs);
    });

    test('of a deleted user is free', async () => {
      const one = replica(store, clock);
      await one.makeRole('till');
      await one.hire('ada', { roleIds: ['till'] });
      await one.dismiss('ada');
      await one.dropRole('till');
    });

    test('is assigned or deleted, not both, concurrently, 100 times', async () => {
      const [a, b] = [replica(store, clock), replica(store, clock)];
      await a.hire('ada');
      for (let round = 0; round < 100; round += 1) {
        const id = `role${round}`;
        await a.makeRole(id);
        const done = Promise.allSettled([a.change('ada', { roleIds: [id] }), b.dropRole(id)]);
        const [given, dropped] = (await whileTimePasses(clock, done)).map(codeOf);
        expect([`${given} ${dropped}`, ['done ROLE_IN_USE', 'NOT_FOUND done'].includes(`${given} ${dropped}`)]).toEqual(
          [`${given} ${dropped}`, true],
        );
        await a.change('ada', { roleIds: [] });
      }
    });

    test('about to be assigned by a paused command is deleted only once that can no longer happen', async () => {
      const paused = new FaultyEventStore(store);
      const [slow, quick] = [replica(paused, clock), replica(store, clock)];
      await quick.makeRole('till');
      await quick.hire('ada');
      const pause = paused.pauseAppendTo(userStream('ada'));
      const giving = slow.change('ada', { roleIds: ['till'] });
      await pause.reached;
      const beganAtMs = clock.monotonicMs();
      await whileTimePasses(clock, quick.dropRole('till'), 100);
      expect(clock.monotonicMs() - beganAtMs).toBeGreaterThanOrEqual(5_000);
      pause.resume();
      await expect(whileTimePasses(clock, giving)).rejects.toMatchObject({ kind: 'not_found' });
    });
  });

  describe('A default account', () => {
    test('can be neither deactivated nor deleted, unless another one is named', async () => {
      const one = replica(store, clock);
      for (const id of ['till', 'safe']) await one.open(id);
      await one.seed('till');
      for (const leave of [one.close, one.drop])
        await expect(leave('till')).rejects.toMatchObject({ kind: 'conflict', code: 'DEFAULT_ACCOUNT' });
      await one.prefer('safe');
      await one.close('till');
      await one.drop('till');
      await expect(one.prefer('till')).rejects.toMatchObject({ kind: 'conflict', code: 'ACCOUNT_INACTIVE' });
      expect(await one.defaults()).toEqual({ CASH: 'safe' });
    });

    test('is named or deactivated, not both, concurrently, 100 times', async () => {
      const [a, b] = [replica(store, clock), replica(store, clock)];
      await a.open('safe');
      for (let round = 0; round < 100; round += 1) {
        const id = `till${round}`;
        await a.open(id);
        const done = Promise.allSettled([a.prefer(id), b.close(id)]);
        const told = (await whileTimePasses(clock, done)).map(codeOf).join(' ');
        expect([told, ['done DEFAULT_ACCOUNT', 'ACCOUNT_INACTIVE done'].includes(told)]).toEqual([told, true]);
        await whileTimePasses(clock, a.prefer('safe'));
      }
    });

    test('about to be named by a paused command is deactivated only once that can no longer happen', async () => {
      const paused = new FaultyEventStore(store);
      const [slow, quick] = [replica(paused, clock), replica(store, clock)];
      await quick.open('till');
      const pause = paused.pauseAppendTo(`defaults-${TENANT}_${ACCOUNT_DEFAULTS_ID}`);
      const naming = slow.prefer('till');
      await pause.reached;
      const beganAtMs = clock.monotonicMs();
      await whileTimePasses(clock, quick.close('till'), 100);
      expect(clock.monotonicMs() - beganAtMs).toBeGreaterThanOrEqual(5_000);
      pause.resume();
      await expect(whileTimePasses(clock, naming)).rejects.toMatchObject({ code: 'ACCOUNT_INACTIVE' });
      expect(await quick.defaults()).toEqual({});
    });
  });
});
