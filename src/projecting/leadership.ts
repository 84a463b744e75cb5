import type { Lease, LeaseStore } from '../ports/lease-store.js';
import type { Logger } from '../ports/log.js';
import { sleepUntilNext, type Clock } from '../ports/time.js';

/** Lease timing in milliseconds, and the holder's id. */
export type LeadershipOptions = {
  /** Unique id of this process, which changes with every start. */
  readonly holder: string;
  /** Interval at which a leader increments its lease's counter and a standby checks it. Default: 1,000 ms. */
  readonly beatMs?: number;
  /** A leader that fails to renew for this long steps down. Must be less than `takeOverAfterMs`. Default: 5,000 ms. */
  readonly giveUpAfterMs?: number;
  /** A standby takes over a lease whose counter has not changed for this long. Default: 8,000 ms. */
  readonly takeOverAfterMs?: number;
};

/** Work that runs while this process leads. `stop` ends the work and resolves once it has ended. */
export type Led = { stop(): Promise<void> };

/**
 * Starts the work of a new leader. `term` is a fencing token, greater than that of every earlier leader. `stale` aborts
 * when the lease is lost, even while the work is still starting. `resign` ends the work and releases the lease.
 */
export type Begin = (term: number, stale: AbortSignal, resign: () => void) => Promise<Led>;

/** The last observed lease, and the time at which this process first observed that state. */
type Sighting = { lease: Lease | undefined; atMs: number };
const NOBODYS: Lease = { holder: '', term: 0, counter: 0 };

/**
 * Elects one leader per name by lease. Processes do not compare wall clocks: a standby takes over when, by its own
 * monotonic clock, the counter has not changed for `takeOverAfterMs`. Two leaders may overlap (if a suspended process
 * resumes), so correctness must not depend on there being a single leader.
 */
export class Leadership {
  private readonly options: Required<LeadershipOptions>;

  constructor(
    private readonly leases: Pick<LeaseStore, 'read' | 'replace'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
    options: LeadershipOptions,
  ) {
    this.options = { beatMs: 1_000, giveUpAfterMs: 5_000, takeOverAfterMs: 8_000, ...options };
  }

  /** Leads `name` whenever possible until stopped. `stop` ends the work and releases the lease. */
  lead(name: string, begin: Begin): Led {
    const stopping = new AbortController();
    const running = this.keepLeading(name, begin, stopping.signal);
    return {
      stop: async () => {
        stopping.abort();
        await running;
      },
    };
  }

  private async keepLeading(name: string, begin: Begin, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const lease = await this.acquire(name, signal);
      if (lease) await this.serve(name, lease, begin, signal);
    }
  }

  /** Waits for the lease and acquires it. Returns undefined if stopped while waiting. */
  private async acquire(name: string, signal: AbortSignal): Promise<Lease | undefined> {
    const sighting: Sighting = { lease: undefined, atMs: this.clock.monotonicMs() };
    while (!signal.aborted) {
      try {
        const taken = await this.take(name, sighting);
        if (taken) return taken;
      } catch (error) {
        this.logger.warn({ err: error, lease: name }, 'the lease could not be read or acquired');
      }
      await sleepUntilNext(this.clock, this.options.beatMs, signal);
    }
    return undefined;
  }

  /** Acquires the lease if it is free or its counter has not changed for `takeOverAfterMs`. */
  private async take(name: string, sighting: Sighting): Promise<Lease | undefined> {
    const lease = await this.leases.read(name);
    const nowMs = this.clock.monotonicMs();
    if (!isSame(sighting.lease, lease)) [sighting.lease, sighting.atMs] = [lease, nowMs];
    const { holder, term, counter } = lease ?? NOBODYS;
    // A lease that this process held but did not renew, and that no other process has acquired, is considered free.
    const isFree = holder === '' || holder === this.options.holder;
    if (!isFree && nowMs - sighting.atMs < this.options.takeOverAfterMs) return undefined;
    const next = { holder: this.options.holder, term: term + 1, counter: counter + 1 };
    return (await this.leases.replace(name, lease, next)) ? next : undefined;
  }

  /** Runs the work until the lease is lost or leadership is stopped. */
  private async serve(name: string, taken: Lease, begin: Begin, signal: AbortSignal): Promise<void> {
    const { term } = taken;
    this.logger.info({ lease: name, term }, 'this process became the leader');
    const stale = new AbortController();
    const resign = (): void => {
      stale.abort();
    };
    const work = begin(term, stale.signal, resign).catch((error: unknown) => {
      this.logger.error({ err: error, lease: name }, 'the work of the leader could not be started; retrying');
      resign();
      return undefined;
    });
    const held = await this.renew(name, taken, AbortSignal.any([signal, stale.signal]));
    stale.abort();
    await (await work)?.stop();
    if (held) await this.giveUp(name, held);
    this.logger.info({ lease: name, term }, 'this process is no longer the leader');
    // Prevents a tight loop if the work fails immediately.
    await this.clock.sleep(this.options.beatMs, signal);
  }

  /** Renews the lease until stopped. Returns the last held lease, or undefined if it was lost. */
  private async renew(name: string, taken: Lease, signal: AbortSignal): Promise<Lease | undefined> {
    let held = taken;
    let renewedAtMs = this.clock.monotonicMs();
    let isDoubtful = false;
    for (;;) {
      await sleepUntilNext(this.clock, this.options.beatMs, signal);
      if (signal.aborted) return held;
      // The clock is read before the call, so that a slow response counts as time without a renewal.
      const beganAtMs = this.clock.monotonicMs();
      try {
        const stored: Lease | undefined = isDoubtful ? await this.leases.read(name) : held;
        if (!stored || stored.holder !== held.holder || stored.term !== held.term) return undefined;
        const next: Lease = { ...stored, counter: stored.counter + 1 };
        isDoubtful = true;
        if (!(await this.leases.replace(name, stored, next))) return undefined;
        [held, renewedAtMs, isDoubtful] = [next, beganAtMs, false];
      } catch (error) {
        this.logger.warn({ err: error, lease: name }, 'the lease could not be renewed');
        if (this.clock.monotonicMs() - renewedAtMs >= this.options.giveUpAfterMs) return undefined;
      }
    }
  }

  /** Releases the lease so that a standby can take over immediately. */
  private async giveUp(name: string, held: Lease): Promise<void> {
    try {
      await this.leases.replace(name, held, { holder: '', term: held.term, counter: held.counter + 1 });
    } catch (error) {
      this.logger.warn(
        { err: error, lease: name },
        'the lease could not be released; another process takes it over once it expires',
      );
    }
  }
}

const isSame = (a: Lease | undefined, b: Lease | undefined): boolean =>
  a?.term === b?.term && a?.counter === b?.counter;
