import { WrongExpectedRevision } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import { fold, type Aggregate, type Claim, type Decision, type DomainEvent } from './aggregate.js';
import type { Appender } from './appender.js';
import type { Claims } from './claims.js';
import { currentContext } from './context.js';
import { conflict, DomainError } from './domain-error.js';
import { KeyedQueue } from './keyed-queue.js';
import type { Memberships } from './memberships.js';
import { expectedAt, type Loaded, type RecordReader } from './record-reader.js';
import { streamName } from './stream-name.js';

/** The record that a command changes. */
export type Target = { readonly tenantId: string; readonly id: string };

/** Result of a command. If nothing changed, `events` is empty and `position` is the position of the last event read. */
export type Executed<State = unknown, Event = DomainEvent> = {
  readonly id: string;
  readonly revision: number;
  readonly position: number;
  readonly state: State;
  readonly events: readonly Event[];
  /** Ids of `events`, in the same order. */
  readonly eventIds: readonly string[];
};

/**
 * Outcome of a decision. `final`: whether the state must not be stale, because the command changes nothing or may be
 * rejected. The decision itself may reject it, or another record may hold a value that it claims.
 */
type Decided<S, E> = {
  readonly final: boolean;
  readonly refusal?: Error;
  readonly state: S;
  readonly events: readonly E[];
  readonly adds: readonly Claim[];
  readonly drops: readonly Claim[];
};

const MAX_ATTEMPTS = 20;
const MAX_JITTER_MS = 20;

/** A decision and its input. */
type Work<S, E, D> = {
  readonly data: D;
  readonly decide: Decision<S, D, E>;
  /** Returns the revision to compare with `If-Match`. Default: the stream's revision. */
  readonly revisionOf: ((state: S) => number) | undefined;
};

/** Runs every command that changes a record, in four steps: load, decide, claim, append. */
export class CommandRunner {
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly reader: RecordReader,
    private readonly appender: Appender,
    private readonly claims: Claims,
    private readonly memberships: Memberships,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * Decides on the record's state and appends the resulting events atomically. If a decision on a cached state rejects
   * the command, changes nothing or adds claims, the stream's tail is read and the decision is repeated. The decision
   * is also repeated if another append to the stream comes first. However, if the context contains an `If-Match` value
   * and `revisionOf` is not given, such an append causes a REVISION_CONFLICT. `revisionOf` returns the revision to
   * compare with `If-Match` and to return to the caller. This is the revision of the record, or of the part that the
   * command changes. The append always expects the stream's revision.
   * @throws the decision's DomainError; conflict with a claim's code; conflict REVISION_CONFLICT; unavailable if the
   * record remains contended
   */
  execute<S, E extends DomainEvent, D>(
    aggregate: Aggregate<S, E>,
    target: Target,
    data: D,
    decide: Decision<S, D, E>,
    revisionOf = aggregate.revisionOf,
  ): Promise<Executed<S, E>> {
    const stream = streamName(aggregate.name, target.tenantId, target.id);
    return this.queue.run(stream, () => this.attempt(aggregate, target, { data, decide, revisionOf }));
  }

  private async attempt<S, E extends DomainEvent, D>(
    aggregate: Aggregate<S, E>,
    target: Target,
    work: Work<S, E, D>,
  ): Promise<Executed<S, E>> {
    const { ifMatch } = currentContext();
    let loaded = this.reader.cached(aggregate, target.tenantId, target.id);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const fresh = loaded === undefined;
      loaded ??= await this.reader.read(aggregate, target.tenantId, target.id);
      const decision = this.decideOn(aggregate, target, loaded, { ...work, ifMatch });
      if (!fresh && decision.final) {
        loaded = undefined;
        continue;
      }
      if (decision.refusal) throw decision.refusal;
      if (decision.events.length === 0) return unchanged(target, loaded, work);
      const done = await this.append(aggregate, target, loaded, { ...decision, revisionOf: work.revisionOf });
      if (done) return done;
      if (ifMatch !== undefined && !work.revisionOf) throw revisionConflict();
      loaded = undefined;
      await this.clock.sleep(this.random() * Math.min(MAX_JITTER_MS, 2 ** attempt));
    }
    throw new DomainError('unavailable', 'UNAVAILABLE', 'Too many concurrent requests change this record. Try again.', {
      retryAfterSeconds: 1,
    });
  }

  private decideOn<S, D, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    { tenantId }: Target,
    loaded: Loaded<S>,
    { data, decide, revisionOf, ifMatch }: Work<S, E, D> & { readonly ifMatch: number | undefined },
  ): Decided<S, E> {
    const nothing = { final: true, state: loaded.state, events: [], adds: [], drops: [] };
    try {
      const events = decide(loaded.state, data, new Date(this.clock.nowMs()));
      if (ifMatch !== undefined && ifMatch !== revisionIn(loaded, revisionOf))
        return { ...nothing, refusal: revisionConflict() };
      if (events.length === 0) return nothing;
      const state = fold(aggregate, events, loaded.state);
      const held = aggregate.claims?.(loaded.state, tenantId) ?? [];
      const wanted = aggregate.claims?.(state, tenantId) ?? [];
      const adds = difference(wanted, held);
      return { final: adds.length > 0, state, events, adds, drops: difference(held, wanted) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { ...nothing, refusal: error };
    }
  }

  /** Returns undefined if another append came first. */
  private async append<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    target: Target,
    loaded: Loaded<S>,
    { state, events, adds, drops, revisionOf }: Decided<S, E> & Pick<Work<S, E, unknown>, 'revisionOf'>,
  ): Promise<Executed<S, E> | undefined> {
    await this.clear(aggregate, target, loaded, { state, adds });
    const appended = await this.write(loaded, events);
    if (!appended) return undefined;
    const { revision, position, eventIds } = appended;
    this.reader.remember({ stream: loaded.stream, state, revision, position });
    // The append has succeeded. A claim that cannot be released now is dead, so another record can take over the value.
    for (const claim of drops) await this.claims.release(claim, loaded.stream).catch(() => undefined);
    return { id: target.id, revision: revisionOf?.(state) ?? revision, position, state, events, eventIds };
  }

  private async write({ stream, revision }: Loaded<unknown>, events: readonly DomainEvent[]) {
    try {
      return await this.appender.write(stream, expectedAt(revision), events);
    } catch (error) {
      if (error instanceof WrongExpectedRevision && error.stream === stream) return undefined;
      throw error;
    }
  }

  /** Writes claims and membership intents before the append. A rejection leaves no claims pending. */
  private async clear<S, E extends DomainEvent>(
    { memberships = [] }: Aggregate<S, E>,
    { tenantId }: Target,
    loaded: Loaded<S>,
    { state, adds }: Pick<Decided<S, E>, 'state' | 'adds'>,
  ): Promise<void> {
    const claimed: Claim[] = [];
    let isNoted = false;
    try {
      await this.claimAll(adds, loaded, claimed);
      for (const rule of memberships) {
        const [before, after] = [rule.of(loaded.state, tenantId), rule.of(state, tenantId)];
        if (await this.memberships.admit(tenantId, rule, { ...loaded, before, after })) isNoted = true;
      }
    } catch (error) {
      if ((claimed.length > 0 || isNoted) && error instanceof DomainError)
        await this.claims.abandon(loaded).catch(() => undefined);
      throw error;
    }
  }

  private async claimAll(claims: readonly Claim[], loaded: Loaded<unknown>, claimed: Claim[]): Promise<void> {
    for (const claim of claims) {
      const { outcome } = await this.claims.acquire(claim, loaded);
      if (outcome === 'held' && claim.refusal) throw conflict(claim.refusal.code, claim.refusal.message);
      if (outcome === 'claimed') claimed.push(claim);
    }
  }
}

const revisionIn = <S>({ state, revision }: Loaded<S>, revisionOf: ((state: S) => number) | undefined): number =>
  revisionOf?.(state) ?? revision;

const unchanged = <S, E, D>({ id }: Target, loaded: Loaded<S>, { revisionOf }: Work<S, E, D>): Executed<S, E> => ({
  id,
  revision: revisionIn(loaded, revisionOf),
  position: loaded.position,
  state: loaded.state,
  events: [],
  eventIds: [],
});

export const revisionConflict = (): DomainError =>
  conflict('REVISION_CONFLICT', 'The record has changed since it was read. Read it again and retry.');

const difference = (a: readonly Claim[], b: readonly Claim[]): Claim[] =>
  a.filter((x) => !b.some((y) => y.scope === x.scope && y.kind === x.kind && y.value === x.value));
