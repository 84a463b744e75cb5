import { WrongExpectedRevision } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import { fold, type Aggregate, type Claim, type Decision, type DomainEvent } from './aggregate.js';
import type { Appender } from './appender.js';
import type { Claims } from './claims.js';
import { currentContext } from './context.js';
import { conflict, DomainError } from './domain-error.js';
import { KeyedQueue } from './keyed-queue.js';
import { expectedAt, type Loaded, type RecordReader } from './record-reader.js';
import { streamName } from './stream-name.js';

export type Target = { readonly tenantId: string; readonly id: string };

/** What a command did: `events` is empty where the record was already so; `position` is then that of the last event read. */
export type Executed<State = unknown, Event = DomainEvent> = {
  readonly id: string;
  readonly revision: number;
  readonly position: number;
  readonly state: State;
  readonly events: readonly Event[];
  /** Ids of `events`, in the same order. */
  readonly eventIds: readonly string[];
};

const MAX_ATTEMPTS = 20;
const MAX_JITTER_MS = 20;

/** Load, decide, claim, append: how every command changes a record. */
export class CommandRunner {
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly reader: RecordReader,
    private readonly appender: Appender,
    private readonly claims: Claims,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * Decides on the record's state and appends what follows, all or nothing. A decision on a cached state that refuses or
   * does nothing is taken again on the stream's tail before it counts. Races that are lost are decided anew; with
   * If-Match in the context they are REVISION_CONFLICT.
   * @throws DomainError of the decision; conflict with a claim's code; conflict REVISION_CONFLICT; unavailable when the
   * record stays contended
   */
  execute<S, E extends DomainEvent, D>(
    aggregate: Aggregate<S, E>,
    target: Target,
    data: D,
    decide: Decision<S, D, E>,
  ): Promise<Executed<S, E>> {
    const stream = streamName(aggregate.name, target.tenantId, target.id);
    return this.queue.run(stream, () => this.attempt(aggregate, target, data, decide));
  }

  private async attempt<S, E extends DomainEvent, D>(
    aggregate: Aggregate<S, E>,
    target: Target,
    data: D,
    decide: Decision<S, D, E>,
  ): Promise<Executed<S, E>> {
    const { ifMatch } = currentContext();
    let loaded = this.reader.cached(aggregate, target.tenantId, target.id);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const fresh = loaded === undefined;
      loaded ??= await this.reader.read(aggregate, target.tenantId, target.id);
      const decision = this.decideOn(loaded, data, decide, ifMatch);
      if (!fresh && decision.final) {
        loaded = undefined;
        continue;
      }
      if (decision.refusal) throw decision.refusal;
      if (decision.events.length === 0) return unchanged(target, loaded);
      const done = await this.append(aggregate, target, loaded, decision.events);
      if (done) return done;
      if (ifMatch !== undefined) throw revisionConflict();
      loaded = undefined;
      await this.clock.sleep(this.random() * Math.min(MAX_JITTER_MS, 2 ** attempt));
    }
    throw new DomainError('unavailable', 'UNAVAILABLE', 'The record is changed by many at once. Try again.', {
      retryAfterSeconds: 1,
    });
  }

  /** `final`: the outcome would be told to the caller, so it must not rest on a stale state. */
  private decideOn<S, D, E extends DomainEvent>(
    loaded: Loaded<S>,
    data: D,
    decide: Decision<S, D, E>,
    ifMatch: number | undefined,
  ): { final: boolean; refusal?: Error; events: readonly E[] } {
    try {
      const events = decide(loaded.state, data, new Date(this.clock.nowMs()));
      if (ifMatch !== undefined && ifMatch !== loaded.revision)
        return { final: true, refusal: revisionConflict(), events: [] };
      return { final: events.length === 0, events };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { final: true, refusal: error, events: [] };
    }
  }

  /** Undefined when another append came first. */
  private async append<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    target: Target,
    loaded: Loaded<S>,
    events: readonly E[],
  ): Promise<Executed<S, E> | undefined> {
    const state = fold(aggregate, events, loaded.state);
    const held = aggregate.claims?.(loaded.state, target.tenantId) ?? [];
    const wanted = aggregate.claims?.(state, target.tenantId) ?? [];
    await this.claimAll(difference(wanted, held), loaded);
    try {
      const { revision, position, eventIds } = await this.appender.write(
        loaded.stream,
        expectedAt(loaded.revision),
        events,
      );
      this.reader.remember({ stream: loaded.stream, state, revision, position });
      for (const claim of difference(held, wanted)) await this.claims.release(claim, loaded.stream);
      return { id: target.id, revision, position, state, events, eventIds };
    } catch (error) {
      if (error instanceof WrongExpectedRevision && error.stream === loaded.stream) return undefined;
      throw error;
    }
  }

  private async claimAll(claims: readonly Claim[], loaded: Loaded<unknown>): Promise<void> {
    for (const claim of claims) {
      const { outcome } = await this.claims.acquire(claim, loaded);
      if (outcome === 'held' && claim.refusal) throw conflict(claim.refusal.code, claim.refusal.message);
    }
  }
}

const unchanged = <S, E>({ id }: Target, { revision, position, state }: Loaded<S>): Executed<S, E> => ({
  id,
  revision,
  position,
  state,
  events: [],
  eventIds: [],
});

const revisionConflict = (): DomainError =>
  conflict('REVISION_CONFLICT', 'The record has been changed since it was read.');

const difference = (a: readonly Claim[], b: readonly Claim[]): Claim[] =>
  a.filter((x) => !b.some((y) => y.scope === x.scope && y.kind === x.kind && y.value === x.value));
