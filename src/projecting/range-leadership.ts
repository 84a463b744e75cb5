import type { Lease, LeaseStore } from '../ports/lease-store.js';
import type { Logger } from '../ports/log.js';
import { sleepUntilNext, type Clock } from '../ports/time.js';
import type { Leadership, Led } from './leadership.js';
import { ALL_RANGES, portionOf, shareOf, type Portion } from '../eventsourcing/ranges.js';

/** Timing in milliseconds, and the id of this process. */
export type RangeOptions = {
  /** Unique id of this process, which changes with every start. */
  readonly holder: string;
  /** Interval between heartbeats. Default: 500 ms. */
  readonly beatMs?: number;
  /**
   * A process whose heartbeat fails for this long stops its work. Must be less than `takeOverAfterMs`. Default: 2,000
   * ms.
   */
  readonly giveUpAfterMs?: number;
  /** The ranges of a process are taken over once its heartbeat has not changed for this long. Default: 3,500 ms. */
  readonly takeOverAfterMs?: number;
  /** Called with the ranges on which this process starts working. */
  readonly onRanges?: (group: string, ranges: readonly number[]) => void;
};

/**
 * A portion. `isFresh`: whether the leader still leads the whole portion and has renewed its heartbeat recently enough
 * to act.
 */
export type LedPortion = Portion & { readonly isFresh: () => boolean };

/** Starts the work on a portion. The work is stopped and restarted whenever the portion changes. */
export type BeginPortion = (portion: LedPortion) => Promise<Led>;

/** The holder id of the process that leads each range. Ranges without a leader are omitted. */
export type RangeLeaders = ReadonlyMap<number, string>;

const FREE: Lease = { holder: '', term: 0, counter: 0 };
/** A heartbeat that has not changed for this long belongs to a process that has ended. Such a heartbeat is removed. */
const FORGET_AFTER_MS = 60_000;

const memberPrefix = (group: string): string => `${group}/member/`;
const rangePrefix = (group: string): string => `${group}/range/`;

/**
 * Shares the ranges of the history evenly among the processes of a group. Each process has one heartbeat, which retains
 * all of its ranges. A range's own lease changes only with its leader. A process that leads more than its share stops
 * its work, releases some ranges and continues with the rest. Two processes may briefly lead the same range (if a
 * suspended process resumes), so correctness must not depend on there being a single leader.
 */
export class RangeLeadership {
  private readonly options: Required<RangeOptions>;

  constructor(
    private readonly leases: LeaseStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    options: RangeOptions,
  ) {
    this.options = { beatMs: 500, giveUpAfterMs: 2_000, takeOverAfterMs: 3_500, onRanges: () => undefined, ...options };
  }

  get holder(): string {
    return this.options.holder;
  }

  /** Leads a share of the group's ranges until stopped. `stop` ends the work and releases the ranges. */
  lead(group: string, begin: BeginPortion): Led {
    const member = new Member(this.leases, this.clock, this.logger, { ...this.options, group, begin });
    return { stop: () => member.stop() };
  }
}

/** Leads a share of the ranges if processes share the read models; otherwise, leads the whole history. */
export const leadRanges = (
  { leadership, ranges }: { readonly leadership: Leadership; readonly ranges: RangeLeadership | undefined },
  group: string,
  begin: (portion: LedPortion | undefined) => Promise<Led>,
): Led => (ranges ? ranges.lead(group, begin) : leadership.lead(group, () => begin(undefined)));

/** Returns the leaders of a group's ranges, according to their leases. @throws ReadStoreUnavailable */
export async function rangeLeaders(leases: LeaseStore, group: string): Promise<RangeLeaders> {
  const found = await leases.list(rangePrefix(group));
  const led = [...found].filter(([, { holder }]) => holder !== '');
  return new Map(led.map(([name, { holder }]) => [Number(name.slice(rangePrefix(group).length)), holder]));
}

type MemberOptions = Required<RangeOptions> & { readonly group: string; readonly begin: BeginPortion };
type Sighting = { readonly counter: number; readonly atMs: number };
type Seen = { readonly ranges: ReadonlyMap<number, Lease>; readonly alive: readonly string[] };

/** Membership of one process in a group. */
class Member {
  private readonly stopping = new AbortController();
  /** The last stored heartbeat; undefined if it must be stored again. */
  private beat: Lease | undefined;
  private isDoubtful = false;
  private renewedAtMs: number;
  /** Time at which this process first saw each heartbeat in its current state. */
  private readonly sightings = new Map<string, Sighting>();
  /** Leases of the ranges that this process leads. */
  private readonly owned = new Map<number, Lease>();
  /** Ranges to work on: the owned ranges except those about to be released. */
  private wanted: readonly number[] = [];
  private work: { readonly ranges: readonly number[]; readonly led: Promise<Led | undefined> } | undefined;
  private changing: Promise<void> | undefined;
  private readonly running: Promise<void>;

  constructor(
    private readonly leases: LeaseStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: MemberOptions,
  ) {
    this.renewedAtMs = clock.monotonicMs();
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.want([]);
    await this.settled();
    await this.orWarn(
      'the ranges could not be released; other replicas take them over once the heartbeat expires',
      async () => {
        for (const range of [...this.owned.keys()]) await this.release(range);
        if (this.beat) await this.leases.remove(this.memberName, this.beat);
      },
    );
  }

  private get memberName(): string {
    return memberPrefix(this.options.group) + this.options.holder;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.turn();
      await sleepUntilNext(this.clock, this.options.beatMs, signal);
    }
  }

  private async turn(): Promise<void> {
    const beganAtMs = this.clock.monotonicMs();
    const done = await this.orWarn('the heartbeat of the ranges failed', async () => {
      await this.renew();
      const seen = await this.look();
      // The clock was read before the calls, so that slow responses count as time without a heartbeat.
      this.renewedAtMs = beganAtMs;
      await this.share(seen);
    });
    if (!done && !this.isFresh()) this.want([]);
    const tookMs = this.clock.monotonicMs() - beganAtMs;
    if (done && !this.isFresh())
      this.logger.warn({ group: this.options.group, tookMs }, 'the heartbeat of the ranges is slow; work pauses');
  }

  private isFresh(): boolean {
    return this.clock.monotonicMs() - this.renewedAtMs < this.options.giveUpAfterMs;
  }

  private async renew(): Promise<void> {
    const { holder } = this.options;
    if (this.isDoubtful) this.beat = await this.leases.read(this.memberName);
    const next: Lease = { holder, term: 1, counter: (this.beat?.counter ?? 0) + 1 };
    this.isDoubtful = true;
    const isStored = await this.leases.replace(this.memberName, this.beat, next);
    // If another process has removed the heartbeat, the next iteration stores it again.
    this.beat = isStored ? next : undefined;
    this.isDoubtful = !isStored;
    if (!isStored) throw new Error('the heartbeat was changed by another process');
  }

  /** Reads all heartbeats and leases of the group. Forgets the ranges that other processes have taken over. */
  private async look(): Promise<Seen> {
    const { group, holder } = this.options;
    const all = await this.leases.list(`${group}/`);
    const ranges = new Map(ALL_RANGES.map((range) => [range, all.get(this.rangeName(range)) ?? FREE]));
    for (const [range, lease] of ranges) {
      if (lease.holder === holder) this.owned.set(range, lease);
      else this.owned.delete(range);
    }
    const members = [...all].filter(([name]) => name.startsWith(memberPrefix(group)));
    return { ranges, alive: await this.aliveOf(members) };
  }

  /**
   * Returns the ids of the holders whose heartbeats have recently changed, sorted. Removes heartbeats that have not
   * changed for FORGET_AFTER_MS.
   */
  private async aliveOf(members: readonly (readonly [string, Lease])[]): Promise<readonly string[]> {
    const nowMs = this.clock.monotonicMs();
    const alive: string[] = [];
    for (const [name, lease] of members) {
      const known = this.sightings.get(lease.holder);
      const sighting = known?.counter === lease.counter ? known : { counter: lease.counter, atMs: nowMs };
      this.sightings.set(lease.holder, sighting);
      const ageMs = nowMs - sighting.atMs;
      if (lease.holder === this.options.holder || ageMs < this.options.takeOverAfterMs) alive.push(lease.holder);
      else if (ageMs > FORGET_AFTER_MS) await this.forget(name, lease);
    }
    return alive.sort();
  }

  private async forget(name: string, lease: Lease): Promise<void> {
    await this.leases.remove(name, lease);
    this.sightings.delete(lease.holder);
  }

  /**
   * Acquires free ranges up to this process's share. If this process has more than its share, stops working on the
   * surplus ranges and releases them.
   */
  private async share({ ranges, alive }: Seen): Promise<void> {
    const { share, preferred } = shareOf(alive.indexOf(this.options.holder), alive.length);
    for (const range of preferred) {
      const lease = ranges.get(range) ?? FREE;
      const isFree = lease.holder === '' || !alive.includes(lease.holder);
      if (isFree && this.owned.size < share) await this.take(range, lease);
    }
    const kept = preferred.filter((range) => this.owned.has(range)).slice(0, share);
    this.want(kept.toSorted((a, b) => a - b));
    const surplus = [...this.owned.keys()].filter((range) => !kept.includes(range));
    if (surplus.length === 0 || this.changing) return;
    // The work on these ranges has ended.
    for (const range of surplus) await this.release(range);
  }

  private async take(range: number, lease: Lease): Promise<void> {
    const { holder } = this.options;
    const next: Lease = { holder, term: lease.term + 1, counter: lease.counter + 1 };
    const isTaken = await this.leases.replace(this.rangeName(range), lease === FREE ? undefined : lease, next);
    if (isTaken) this.owned.set(range, next);
  }

  private async release(range: number): Promise<void> {
    const lease = this.owned.get(range);
    this.owned.delete(range);
    if (lease) await this.leases.replace(this.rangeName(range), lease, { ...lease, holder: '' });
  }

  private rangeName(range: number): string {
    return rangePrefix(this.options.group) + String(range);
  }

  private want(ranges: readonly number[]): void {
    this.wanted = ranges;
    if (this.isWanted()) return;
    this.changing ??= this.change().finally(() => (this.changing = undefined));
  }

  private isWanted(): boolean {
    return String(this.work?.ranges ?? []) === String(this.wanted);
  }

  /** Restarts the work until it runs on the wanted ranges. Heartbeats continue during this time. */
  private async change(): Promise<void> {
    const { group } = this.options;
    while (!this.isWanted()) {
      const { work } = this;
      this.work = undefined;
      await this.orWarn('the work on the ranges could not be stopped', async () => (await work?.led)?.stop());
      const ranges = this.wanted;
      this.logger.info({ group, ranges }, 'this process leads these ranges');
      this.options.onRanges(group, ranges);
      if (ranges.length === 0) continue;
      this.work = { ranges, led: this.begin(ranges) };
    }
  }

  private async begin(ranges: readonly number[]): Promise<Led | undefined> {
    const isFresh = () => this.isFresh() && ranges.every((range) => this.owned.has(range));
    const portion: LedPortion = { ...portionOf(ranges), isFresh };
    try {
      return await this.options.begin(portion);
    } catch (error) {
      const { group } = this.options;
      this.logger.error({ err: error, group }, 'the work on the ranges could not be started; retrying');
      await this.clock.sleep(this.options.beatMs, this.stopping.signal);
      // If `work` is unset, the next iteration starts the work again.
      if (this.work?.ranges === ranges) this.work = undefined;
      return undefined;
    }
  }

  private async settled(): Promise<void> {
    while (this.changing) await this.changing;
  }

  /** Runs a task and logs its failure. Returns whether the task succeeded. */
  private async orWarn(message: string, task: () => Promise<unknown>): Promise<boolean> {
    try {
      await task();
      return true;
    } catch (error) {
      this.logger.warn({ err: error, group: this.options.group }, message);
      return false;
    }
  }
}
