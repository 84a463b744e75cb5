import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock, Ids } from '../ports/time.js';
import { technical, type Aggregate, type Claim, type EventOf } from './aggregate.js';
import { appendAt, fence } from './coordination.js';
import { currentContext } from './context.js';
import { DomainError } from './domain-error.js';
import type { Appender } from './appender.js';
import type { EventCatalogue } from './event-catalogue.js';
import type { Loaded, RecordReader } from './record-reader.js';
import { parseStreamName, streamName } from './stream-name.js';

const claimEvents = {
  ValueClaimed: technical(
    z.object({
      kind: z.string(),
      owner: z.string(),
      /** The owner's revision before its append; −1 for a new stream. */
      ownerRevision: z.number().int(),
      attemptId: z.string(),
      atMs: z.number(),
    }),
  ),
  ClaimReleased: technical(z.object({ owner: z.string() })),
};
type ClaimEvent = EventOf<typeof claimEvents>;
type ClaimState = { readonly claimed: Extract<ClaimEvent, { type: 'ValueClaimed' }>['data'] | null };

/** The stream of one value: whose it is. */
export const claimAggregate: Aggregate<ClaimState, ClaimEvent> = {
  name: 'claim',
  events: claimEvents,
  initial: { claimed: null },
  evolve: (_, event) => {
    switch (event.type) {
      case 'ValueClaimed':
        return { claimed: event.data };
      case 'ClaimReleased':
        return { claimed: null };
    }
  },
};

/** The record that is about to append, at the revision that it read. */
export type ClaimOwner = { readonly stream: string; readonly revision: number };
/** What became of a claim. */
export type ClaimOutcome =
  | { readonly outcome: 'claimed' }
  /** Another record holds the value (or is just about to, and did not settle within the wait). */
  | { readonly outcome: 'held'; readonly by: string; readonly settled: boolean };

const PENDING_MS = 5_000;
const SHORT_WAIT_MS = 150;
const MAX_ROUNDS = 50;

const sameClaim = (a: Claim, b: Claim): boolean => a.scope === b.scope && a.kind === b.kind && a.value === b.value;

/**
 * Uniqueness over streams. A value has a stream of its own, `claim-<scope>_<hash>`, that says whose it is. It is written
 * before the owner's event, so at any moment a claim is *held* (its owner's state has the value), *pending* (its owner
 * may be about to append) or *dead*. A claim records the exact revision at which its owner will append: once the owner's
 * stream is past it without holding the value, the paused append must fail, so the claim is dead and may be taken over.
 * A pending claim older than 5 s is made dead by a fence: an event without meaning at the recorded revision.
 */
export class Claims {
  constructor(
    private readonly reader: RecordReader,
    private readonly appender: Appender,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Claims a value for `owner`, also over its own earlier claim (an attempt that the owner's own later one has overtaken
   * is told the same; its append must fail). A pending claim of another is waited for: `patience`
   * `short` gives up after one short wait, `settled` waits until it is held or dead (at most about 5 s).
   */
  async acquire(claim: Claim, owner: ClaimOwner, patience: 'short' | 'settled' = 'short'): Promise<ClaimOutcome> {
    let waited = false;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const current = await this.read(claim);
      if (isOvertaken(current.state, owner)) return { outcome: 'claimed' };
      const { status, by } = await this.standing(claim, owner, current);
      if (status === 'held') return { outcome: 'held', by, settled: true };
      if (status === 'dead') {
        if (await this.take(claim, owner, current)) return { outcome: 'claimed' };
        continue;
      }
      if (waited && patience === 'short') return { outcome: 'held', by, settled: false };
      waited = true;
      await this.clock.sleep(SHORT_WAIT_MS);
    }
    throw contended();
  }

  /**
   * The stream of the record that holds the value now; a pending claim is waited for until it is held or dead.
   * @throws DomainError unavailable where it is claimed again and again, so that nobody can tell
   */
  async holder(claim: Claim): Promise<string | undefined> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { claimed } = (await this.read(claim)).state;
      if (claimed === null) return undefined;
      const status = await this.settle(claim, claimed);
      if (status === 'held') return claimed.owner;
      if (status === 'dead') return undefined;
      await this.clock.sleep(SHORT_WAIT_MS);
    }
    throw contended();
  }

  /**
   * Gives up a record that was to be made: a fence where it would have begun makes all claims for it dead at once. Left
   * pending, they would hold up everybody who wants one of the values for as long as claims may pend. Where the record
   * was made (or given up) meanwhile, nothing happens. A record that exists gets the fence at its next revision, so that
   * an If-Match of before is outdated.
   */
  abandon(owner: ClaimOwner): Promise<void> {
    return fence(this.appender, owner, { claim: 'all of this record', attemptId: currentContext().commandId });
  }

  /**
   * Frees a value that its owner no longer holds. The claim is read before the owner, and released at that revision
   * only if the owner is past the recorded one: a pending claim is never released.
   */
  async release(claim: Claim, ownerStream: string): Promise<void> {
    const current = await this.read(claim);
    const { claimed } = current.state;
    if (claimed?.owner !== ownerStream) return;
    const owner = await this.readOwner(ownerStream);
    if (owner.revision <= claimed.ownerRevision || this.holds(owner, claim)) return;
    await this.tryWrite(current, { type: 'ClaimReleased', data: { owner: ownerStream } });
  }

  /** How a claim stands in the way of `owner`: a free one, and its own, are as good as dead. */
  private async standing(
    claim: Claim,
    owner: ClaimOwner,
    { state: { claimed } }: Loaded<ClaimState>,
  ): Promise<{ status: 'held' | 'dead' | 'pending'; by: string }> {
    if (claimed === null || claimed.owner === owner.stream) return { status: 'dead', by: owner.stream };
    return { status: await this.settle(claim, claimed), by: claimed.owner };
  }

  private read(claim: Claim): Promise<Loaded<ClaimState>> {
    return this.reader.read(claimAggregate, claim.scope, hashOf(claim));
  }

  private take(claim: Claim, owner: ClaimOwner, current: Loaded<ClaimState>): Promise<boolean> {
    return this.tryWrite(current, {
      type: 'ValueClaimed',
      data: {
        kind: claim.kind,
        owner: owner.stream,
        ownerRevision: owner.revision,
        attemptId: this.ids.next(),
        atMs: this.clock.nowMs(),
      },
    });
  }

  private tryWrite(current: Loaded<ClaimState>, event: ClaimEvent): Promise<boolean> {
    return appendAt({ appender: this.appender, reader: this.reader }, claimAggregate, current, event);
  }

  private async settle(
    claim: Claim,
    claimed: NonNullable<ClaimState['claimed']>,
  ): Promise<'held' | 'dead' | 'pending'> {
    const owner = await this.readOwner(claimed.owner);
    if (this.holds(owner, claim)) return 'held';
    if (owner.revision > claimed.ownerRevision) return 'dead';
    // Replicas' clocks differ a little, so a claim may seem to come from the future; from far there, a clock was set
    // back, and that must not keep a dead claim alive.
    if (Math.abs(this.clock.nowMs() - claimed.atMs) < PENDING_MS) return 'pending';
    return this.fenceOff(claim, claimed);
  }

  /** Makes sure that the paused owner can no longer append, then looks again. */
  private async fenceOff(claim: Claim, claimed: NonNullable<ClaimState['claimed']>): Promise<'held' | 'dead'> {
    const { owner: stream, ownerRevision: revision, attemptId } = claimed;
    const because = { claim: streamName('claim', claim.scope, hashOf(claim)), attemptId };
    await fence(this.appender, { stream, revision }, because);
    return this.holds(await this.readOwner(stream), claim) ? 'held' : 'dead';
  }

  private async readOwner(stream: string): Promise<{ loaded: Loaded<unknown>; revision: number }> {
    const name = parseStreamName(stream);
    const aggregate = name && this.catalogue.aggregateOf(name.entity);
    if (!aggregate) throw new Error(`No aggregate owns ${stream}`);
    const loaded = await this.reader.read(aggregate, name.tenantId, name.id);
    return { loaded, revision: loaded.revision };
  }

  private holds({ loaded }: { loaded: Loaded<unknown> }, claim: Claim): boolean {
    const name = parseStreamName(loaded.stream);
    if (!name) return false;
    const aggregate = this.catalogue.aggregateOf(name.entity);
    if (!aggregate?.claims) return false;
    return aggregate.claims(loaded.state, name.tenantId).some((held) => sameClaim(held, claim));
  }
}

/**
 * The owner has claimed the value at a later revision already: this attempt's append must fail. Written over that claim,
 * its own would make the later attempt, which may still succeed, look dead.
 */
const isOvertaken = ({ claimed }: ClaimState, owner: ClaimOwner): boolean =>
  claimed?.owner === owner.stream && claimed.ownerRevision > owner.revision;

const contended = (): DomainError =>
  new DomainError('unavailable', 'UNAVAILABLE', 'The value is claimed by many at once. Try again.', {
    retryAfterSeconds: 1,
  });

/** Length-prefixed, so that no two (kind, value) pairs meet; hashed, so that personal data is not in stream names. */
function hashOf({ kind, value }: Claim): string {
  return createHash('sha256').update(`${kind.length}:${kind}${value}`).digest('base64url');
}
