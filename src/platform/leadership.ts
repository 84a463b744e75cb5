import type { Lease, LeaseStore } from '../ports/lease-store.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';

/** Times of leases, milliseconds, and what they are kept in. */
export type LeadershipOptions = {
  /** Id of this process among all replicas; a fresh one for each start. */
  readonly holder: string;
  /** How often a leader raises its lease's counter, and a standby looks at it. Default 1,000 ms. */
  readonly beatMs?: number;
  /** A leader that could not renew for so long stops; less than `takeOverAfterMs`. Default 5,000 ms. */
  readonly giveUpAfterMs?: number;
  /** A standby that saw the counter unchanged for so long takes the lease. Default 8,000 ms. */
  readonly takeOverAfterMs?: number;
};

/** Work that runs while this process leads. `stop` ends it and resolves when nothing of it runs any more. */
export type Led = { stop(): Promise<void> };

/**
 * Begins the work of a new leader. `term` is the fencing token: greater than that of every leader before. `stale` aborts
 * when the lease is lost, also while the work is still beginning.
 */
export type Begin = (term: number, stale: AbortSignal) => Promise<Led>;

/** A lease as it was seen, and since when it has looked like that. */
type Sighting = { lease: Lease | undefined; atMs: number };
const NOBODYS: Lease = { holder: '', term: 0, counter: 0 };

/**
 * Which replica does what: one leader for each name, by a lease with a counter. No wall clocks are compared: a standby
 * takes over when it has seen the counter stand still for long enough by its own monotonic clock. There may be two
 * leaders for a while (a paused process that goes on), so nothing may depend on there being one.
 */
export class Leadership {
  private readonly beatMs: number;
  private readonly giveUpAfterMs: number;
  private readonly takeOverAfterMs: number;

  constructor(
    private readonly leases: LeaseStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: LeadershipOptions,
  ) {
    this.beatMs = options.beatMs ?? 1_000;
    this.giveUpAfterMs = options.giveUpAfterMs ?? 5_000;
    this.takeOverAfterMs = options.takeOverAfterMs ?? 8_000;
  }

  /** Leads `name` whenever it may, until it is stopped. `stop` ends the work and gives the lease up. */
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

  /** Waits until the lease may be taken, and takes it; undefined when the waiting is stopped. */
  private async acquire(name: string, signal: AbortSignal): Promise<Lease | undefined> {
    const sighting: Sighting = { lease: undefined, atMs: this.clock.monotonicMs() };
    while (!signal.aborted) {
      try {
        const taken = await this.take(name, sighting);
        if (taken) return taken;
      } catch (error) {
        this.logger.warn({ err: error, lease: name }, 'the lease could not be read or taken');
      }
      await this.clock.sleep(this.beatMs, signal);
    }
    return undefined;
  }

  /** Takes the lease if nobody holds it, or if its holder has not raised the counter for long enough. */
  private async take(name: string, sighting: Sighting): Promise<Lease | undefined> {
    const lease = await this.leases.read(name);
    const nowMs = this.clock.monotonicMs();
    if (!isSame(sighting.lease, lease)) [sighting.lease, sighting.atMs] = [lease, nowMs];
    const { holder, term, counter } = lease ?? NOBODYS;
    // Its own, which it could not renew for a while and nobody took, is as good as free.
    const isFree = holder === '' || holder === this.options.holder;
    if (!isFree && nowMs - sighting.atMs < this.takeOverAfterMs) return undefined;
    const next = { holder: this.options.holder, term: term + 1, counter: counter + 1 };
    return (await this.leases.replace(name, lease, next)) ? next : undefined;
  }

  /** Does the work until the lease is lost or the leading is stopped. */
  private async serve(name: string, taken: Lease, begin: Begin, signal: AbortSignal): Promise<void> {
    const { term } = taken;
    this.logger.info({ lease: name, term }, 'leads');
    const stale = new AbortController();
    const work = begin(term, stale.signal).catch((error: unknown) => {
      this.logger.error({ err: error, lease: name }, 'what the leader does could not begin; it is tried again');
      stale.abort();
      return undefined;
    });
    const held = await this.renew(name, taken, AbortSignal.any([signal, stale.signal]));
    stale.abort();
    await (await work)?.stop();
    if (held) await this.giveUp(name, held);
    this.logger.info({ lease: name, term }, 'no longer leads');
    // What fails at once would otherwise be begun again without a pause.
    await this.clock.sleep(this.beatMs, signal);
  }

  /** Raises the counter until it is stopped; answers the lease as it is held then, undefined when it is lost. */
  private async renew(name: string, taken: Lease, signal: AbortSignal): Promise<Lease | undefined> {
    let held = taken;
    let renewedAtMs = this.clock.monotonicMs();
    let isDoubtful = false;
    for (;;) {
      await this.clock.sleep(this.beatMs, signal);
      if (signal.aborted) return held;
      // Taken before the call: the time of a slow answer counts against the leader.
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
        if (this.clock.monotonicMs() - renewedAtMs >= this.giveUpAfterMs) return undefined;
      }
    }
  }

  /** Lets a standby take over at once. */
  private async giveUp(name: string, held: Lease): Promise<void> {
    try {
      await this.leases.replace(name, held, { holder: '', term: held.term, counter: held.counter + 1 });
    } catch (error) {
      this.logger.warn({ err: error, lease: name }, 'the lease could not be given up: others take it when it is old');
    }
  }
}

const isSame = (a: Lease | undefined, b: Lease | undefined): boolean =>
  a?.term === b?.term && a?.counter === b?.counter;
