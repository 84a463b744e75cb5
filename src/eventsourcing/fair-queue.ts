/** Limits of a queue. An undefined limit does not apply. */
export type FairQueueLimits = {
  readonly atOnce: number;
  /** Limits a group to half of the slots that are not in use by others, so that a new group soon gets a slot. */
  readonly leavesRoom?: boolean;
  readonly maxWaiting?: number;
  readonly maxPerGroup?: number;
  /** Limits the waiting tasks of a member across all groups. */
  readonly maxPerMember?: number;
};

/**
 * Owner of a task: a group (an address or a tenant), and optionally a member (an account). A named member has at most
 * one slot at a time.
 */
export type Visitor = { readonly group: string; readonly member?: string };

type Waiting = { readonly arrival: number; readonly enter: () => void; readonly refuse: () => void };
type Group = { readonly name: string; running: number; readonly members: Map<string | undefined, Member> };
type Member = {
  readonly group: Group;
  readonly name: string | undefined;
  running: number;
  readonly waiting: Waiting[];
};

/**
 * Runs a limited number of tasks concurrently and queues the rest. Groups take turns, as do the members of a group. A
 * member's own tasks run in order of arrival. When the waiting tasks exceed a limit, the queue selects the group with
 * the most of them, and in that group the member with the most. It rejects that member's newest task. Therefore, no
 * visitor can use up the capacity available to others.
 */
export class FairQueue {
  /** Groups with running or waiting tasks, and the members within them, in the order of their turns. */
  private readonly groups = new Map<string, Group>();
  private running = 0;
  private waiting = 0;
  private arrivals = 0;

  /** `refusal` creates the error for a rejected task. */
  constructor(
    private readonly limits: FairQueueLimits,
    private readonly refusal = () => new Error('The queue is full'),
  ) {}

  /** @throws the error from `refusal` if the task is rejected without running; any error from the task */
  async run<T>(visitor: Visitor, work: () => Promise<T>): Promise<T> {
    const member = this.memberOf(visitor);
    await new Promise<void>((enter, reject) => {
      const refuse = () => {
        reject(this.refusal());
      };
      member.waiting.push({ arrival: (this.arrivals += 1), enter, refuse });
      this.waiting += 1;
      this.admit();
      this.makeRoom(visitor);
    });
    try {
      return await work();
    } finally {
      this.count(member, -1);
      this.forget(member);
      this.admit();
    }
  }

  private memberOf({ group: groupName, member: name }: Visitor): Member {
    const group = this.groups.get(groupName) ?? { name: groupName, running: 0, members: new Map<string, Member>() };
    const member = group.members.get(name) ?? { group, name, running: 0, waiting: [] };
    this.groups.set(groupName, group);
    group.members.set(name, member);
    return member;
  }

  private admit(): void {
    for (const group of [...this.groups.values()]) {
      if (this.running >= this.limits.atOnce) return;
      const next = this.hasRoomFor(group) && [...group.members.values()].find(mayEnter);
      if (next) this.enter(next);
    }
  }

  private count(member: Member, by: number): void {
    this.running += by;
    member.group.running += by;
    member.running += by;
  }

  private hasRoomFor({ running }: Group): boolean {
    const { atOnce, leavesRoom = false } = this.limits;
    return !leavesRoom || running < Math.max(1, Math.floor((atOnce - (this.running - running)) / 2));
  }

  private enter(member: Member): void {
    const { group } = member;
    this.count(member, 1);
    // Move the group and the member to the end of the order.
    this.groups.delete(group.name);
    this.groups.set(group.name, group);
    group.members.delete(member.name);
    group.members.set(member.name, member);
    this.waiting -= 1;
    member.waiting.shift()?.enter();
  }

  /** Rejects a waiting task for each limit that the new task exceeds. */
  private makeRoom(visitor: Visitor): void {
    const { maxPerMember, maxPerGroup, maxWaiting } = this.limits;
    this.shrink(maxPerMember, ({ name }) => name === visitor.member);
    this.shrink(maxPerGroup, ({ group }) => group.name === visitor.group);
    // All visitors are examined only when the limit is exceeded.
    if (maxWaiting !== undefined && this.waiting > maxWaiting) this.shrink(maxWaiting, () => true);
  }

  private shrink(max: number | undefined, isCounted: (member: Member) => boolean): void {
    if (max === undefined) return;
    const crowds = [...this.groups.values()].map(({ members }) => [...members.values()].filter(isCounted));
    if (waitersOf(crowds.flat()) <= max) return;
    const [member] = largest(largest(crowds).map((one) => [one]));
    if (!member) return;
    this.waiting -= 1;
    member.waiting.pop()?.refuse();
    this.forget(member);
  }

  private forget({ group, name, running, waiting }: Member): void {
    if (running + waiting.length > 0) return;
    group.members.delete(name);
    if (group.members.size === 0) this.groups.delete(group.name);
  }
}

const mayEnter = ({ name, running, waiting }: Member): boolean =>
  waiting.length > 0 && (name === undefined || running === 0);

const waitersOf = (crowd: readonly Member[]): number => crowd.reduce((sum, { waiting }) => sum + waiting.length, 0);

const newestOf = (crowd: readonly Member[]): number =>
  Math.max(...crowd.map(({ waiting }) => waiting.at(-1)?.arrival ?? 0));

/** Returns the group of members with the most waiting tasks. In a tie, returns the group with the newest task. */
function largest(crowds: readonly (readonly Member[])[]): readonly Member[] {
  let found: readonly Member[] = [];
  let [most, newest] = [1, 0];
  for (const crowd of crowds) {
    const count = waitersOf(crowd);
    if (count < most || (count === most && newestOf(crowd) < newest)) continue;
    found = crowd;
    [most, newest] = [count, newestOf(crowd)];
  }
  return found;
}
