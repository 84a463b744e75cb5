import { CommandBus, QueryBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { type Audience, notification, reportSubjects } from '../../src/aggregates/notification.aggregate.js';
import { createUser, deleteUser, updateUser, user, type Role } from '../../src/aggregates/user.aggregate.js';
import {
  ReadAllNotifications,
  ReadNotification,
  SendAdminNotification,
} from '../../src/commands/notification.commands.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import { CountUnread, ListNotifications } from '../../src/queries/notification.queries.js';
import { TestService, type TestTenant } from '../support/service.js';
import { Team } from '../support/team.js';

/*
 * Compares random histories of users and notifications with a naive model. For each user, the model lists the
 * notifications that were sent, and those that were read.
 */

const RUNS = 5;
const BURST = 70;
const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);

type Person = {
  readonly id: string;
  role: Role;
  state: 'active' | 'suspended' | 'gone';
  readonly isInBranch: boolean;
  /** The user's notifications, newest first. */
  inbox: { readonly id: string; isRead: boolean }[];
};
const someRole = fc.constantFrom<Role[]>('OWNER', 'ADMIN', 'USER');
const who = fc.nat({ max: 9 });
const step = fc.oneof(
  fc.record({ what: fc.constant('hire' as const), role: someRole, isInBranch: fc.boolean(), isActive: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('suspend' as const, 'return' as const), who }) },
  fc.record({ what: fc.constant('dismiss' as const), who }),
  { weight: 2, arbitrary: fc.record({ what: fc.constant('promote' as const), who, role: someRole }) },
  fc.record({ what: fc.constant('tell everybody' as const), times: fc.constantFrom(1, 1, 1, BURST) }),
  fc.record({ what: fc.constant('tell roles' as const), roles: fc.uniqueArray(someRole, { minLength: 1 }) }),
  fc.record({
    what: fc.constant('tell some' as const),
    some: fc.uniqueArray(who, { minLength: 1, maxLength: 4 }),
    roles: fc.uniqueArray(someRole, { maxLength: 1 }),
    branch: fc.boolean(),
  }),
  { weight: 3, arbitrary: fc.record({ what: fc.constant('read' as const), who, which: fc.nat({ max: 12 }) }) },
  fc.record({ what: fc.constant('read all' as const), who }),
  { weight: 2, arbitrary: fc.record({ what: fc.constant('extend' as const), who, which: fc.nat({ max: 5 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Change = Extract<Step, { what: 'suspend' | 'return' } | { what: 'dismiss' } | { what: 'promote' }>;

let service: TestService;
beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  service = await TestService.start();
});
afterAll(() => service.close());

const isOnlyRoles = (targets: object): boolean => Object.keys(targets).join() === 'roles';

class World {
  /** Whether a person is a recipient of a notification that is extended, by the id of the notification. */
  private readonly audiences = new Map<string, (person: Person) => boolean>();

  private constructor(
    private readonly tenant: TestTenant,
    private readonly branchId: string,
    readonly people: Person[],
  ) {}

  static async begin(): Promise<World> {
    const team = await Team.of(service);
    const owner = await team.owner();
    const branch = await service.post('/api/branches', { code: 'B', name: 'B' }, team.token);
    const first: Person = { id: owner.id, role: 'OWNER', state: 'active', isInBranch: false, inbox: [] };
    return new World(team.tenant, branch.id, [first]);
  }

  async take(next: Step): Promise<void> {
    switch (next.what) {
      case 'hire':
        return this.hire(next);
      case 'suspend':
      case 'return':
      case 'dismiss':
      case 'promote':
        return this.change(next);
      case 'tell everybody':
        for (let n = 0; n < next.times; n += 1) await this.tell({ broadcast: true }, () => true);
        return;
      case 'tell roles':
        return this.tell({ roles: next.roles }, ({ role }) => next.roles.includes(role));
      case 'tell some':
        return this.tellSome(next);
      case 'read':
        return this.read(next);
      case 'read all':
        return this.readAll(this.person(next.who));
      case 'extend':
        return this.extend(next);
    }
  }

  /** Selects one of the users that have not been removed. */
  private person(number: number): Person {
    const present = this.people.filter(({ state }) => state !== 'gone');
    return present[number % present.length] as Person;
  }

  private async hire({ role, isInBranch, isActive }: Extract<Step, { what: 'hire' }>): Promise<void> {
    const id = service.service.engines.ids.next();
    const branchIds = isInBranch ? [this.branchId] : [];
    const facts = { fullName: id, email: `${id}@t.test`, role, isActive, branchIds, passwordHash: 'none' };
    await this.run((runner) => runner.execute(user, this.target(id), facts, createUser));
    this.people.push({ id, role, state: isActive ? 'active' : 'suspended', isInBranch, inbox: [] });
  }

  private async change(next: Change) {
    const person = this.person(next.who);
    // The first user is never removed, so that the tenant keeps an owner.
    if (person === this.people[0]) return;
    const target = this.target(person.id);
    if (next.what === 'dismiss') {
      await this.run((runner) => runner.execute(user, target, {}, deleteUser));
      [person.state, person.inbox] = ['gone', []];
    } else if (next.what === 'promote') {
      await this.run((runner) => runner.execute(user, target, { role: next.role }, updateUser));
      person.role = next.role;
    } else {
      const isActive = next.what === 'return';
      await this.run((runner) => runner.execute(user, target, { isActive }, updateUser));
      person.state = isActive ? 'active' : 'suspended';
    }
  }

  private tellSome({ some, roles, branch }: Extract<Step, { what: 'tell some' }>): Promise<void> {
    const named = new Set(some.map((number) => this.person(number).id));
    const targets = {
      userIds: [...named],
      ...(roles.length > 0 && { roles }),
      ...(branch && { branchIds: [this.branchId] }),
    };
    return this.tell(targets, (one) => named.has(one.id) || roles.includes(one.role) || (branch && one.isInBranch));
  }

  private async tell(targets: object, isMeant: (person: Person) => boolean): Promise<void> {
    const id = service.service.engines.ids.next();
    const data = { title: 'T', body: 'B', type: 'INFO', ...targets } as SendAdminNotification['data'];
    const sent = await this.run(() =>
      service.service.app.get(CommandBus).execute(new SendAdminNotification(this.target(id), data)),
    );
    const meant = this.people.filter((person) => person.state === 'active' && isMeant(person));
    expect(sent.recipientCount).toBe(meant.length);
    for (const { inbox } of meant) inbox.unshift({ id, isRead: false });
    const isByPredicate = 'broadcast' in targets || isOnlyRoles(targets);
    this.audiences.set(id, (person) =>
      isByPredicate ? person.state === 'active' && isMeant(person) : person.state !== 'gone' && meant.includes(person),
    );
  }

  /** Adds a record to a notification. Only its present recipients see it afterwards, as unread. */
  private async extend({ who: number, which }: Extract<Step, { what: 'extend' }>): Promise<void> {
    const { inbox } = this.person(number);
    const id = inbox[which % Math.max(1, inbox.length)]?.id;
    if (id === undefined) return;
    const subject = { id: service.service.engines.ids.next(), name: 'S' };
    // Not used, because the notification exists.
    const audience: Audience = { kind: 'everyone' };
    const content = { title: 'T', body: 'B', link: null };
    const report = { subjects: [subject], describe: () => content, type: 'INFO', audience } as const;
    await this.run((runner) => runner.execute(notification, this.target(id), report, reportSubjects));
    for (const person of this.people) {
      person.inbox = person.inbox.filter((one) => one.id !== id);
      if (this.audiences.get(id)?.(person) === true) person.inbox.unshift({ id, isRead: false });
    }
  }

  private async read({ who: number, which }: Extract<Step, { what: 'read' }>): Promise<void> {
    const person = this.person(number);
    const read = person.inbox[which % Math.max(1, person.inbox.length)];
    if (!read) return;
    await service.quiet();
    await this.run(() =>
      service.service.app.get(CommandBus).execute(new ReadNotification(this.asked(person), read.id)),
    );
    read.isRead = true;
  }

  private async readAll(person: Person): Promise<void> {
    await service.quiet();
    const unread = person.inbox.filter(({ isRead }) => !isRead).length;
    const done = await this.run(() =>
      service.service.app.get(CommandBus).execute(new ReadAllNotifications(this.asked(person))),
    );
    expect(done.updatedCount).toBe(unread);
    for (const one of person.inbox) one.isRead = true;
  }

  /** Compares each user's unread count, and every page of the user's list, with the model. */
  async compare(pageSize: number): Promise<void> {
    await service.quiet();
    const queries = service.service.app.get(QueryBus);
    for (const person of this.people) {
      const unread = person.inbox.filter(({ isRead }) => !isRead);
      expect(await queries.execute(new CountUnread(this.asked(person)))).toEqual({ count: unread.length });
      for (const isRead of [undefined, true, false]) {
        const expected = person.inbox.filter((one) => isRead === undefined || one.isRead === isRead);
        const shown = [];
        for (let pageNumber = 1; pageNumber <= Math.max(1, Math.ceil(expected.length / pageSize)); pageNumber += 1) {
          const page = await queries.execute(
            new ListNotifications(this.asked(person), { pageNumber, pageSize, isRead }),
          );
          expect(page.totalCount).toBe(expected.length);
          shown.push(...page.items.map(({ id, isRead: isShownRead }) => ({ id, isRead: isShownRead })));
        }
        expect(shown).toEqual(expected);
      }
    }
  }

  private asked({ id: userId }: Person) {
    return { tenantId: this.tenant.id, userId };
  }
  private target(id: string) {
    return { tenantId: this.tenant.id, id };
  }
  private run<T>(work: (runner: CommandRunner) => Promise<T>): Promise<T> {
    const own = { tenantId: this.tenant.id, name: 'test', commandId: service.service.engines.ids.next() };
    return asService(own, () => work(service.service.app.get(CommandRunner)));
  }
}

test('Users see the notifications sent to them, and their unread count, after any history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 50, size: 'max' }),
      fc.integer({ min: 3, max: 50 }),
      async (steps, pageSize) => {
        const world = await World.begin();
        for (const role of ['ADMIN', 'USER', 'USER'] as const)
          await world.take({ what: 'hire', role, isInBranch: role === 'USER', isActive: true });
        for (const next of steps) await world.take(next);
        await world.compare(pageSize);
      },
    ),
    { numRuns: RUNS, seed, endOnFailure: true },
  );
});
