import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Clock, Ids } from '../ports/time.js';
import { technical, type Aggregate, type Claim, type EventOf } from './aggregate.js';
import { appendAt, fence, recordOf } from './coordination.js';
import { currentContext } from './context.js';
import { DomainError } from './domain-error.js';
import type { Appender } from './appender.js';
import type { EventCatalogue } from './event-catalogue.js';
import type { Freshness, Loaded, RecordReader } from './record-reader.js';
import { parseStreamName, streamName } from './stream-name.js';

const claimEvents = {
  ValueClaimed: technical(
    z.object({
      kind: z.string(),
      owner: z.string(),
      /** Revision of the owner's stream before its append; −1 for a new stream. */
      ownerRevision: z.number().int(),
      attemptId: z.string(),
      atMs: z.number(),
    }),
  ),
  ClaimReleased: technical(z.object({ owner: z.string() })),
};
type ClaimEvent = EventOf<typeof claimEvents>;
type Claimed = Extract<ClaimEvent, { type: 'ValueClaimed' }>['data'];
/** Each tenant's latest claim, by tenant id. */
type ClaimState = { readonly claimed: Readonly<Record<string, Claimed>> };

const tenantOf = (stream: string): string => parseStreamName(stream)?.tenantId ?? '';

/** The stream of one value. It records the value's owner in each tenant. */
export const claimAggregate: Aggregate<ClaimState, ClaimEvent> = {
  name: 'claim',
  events: claimEvents,
  initial: { claimed: {} },
  evolve: ({ claimed }, { type, data }) => {
    const { [tenantOf(data.owner)]: _, ...others } = claimed;
    return { claimed: type === 'ValueClaimed' ? { ...others, [tenantOf(data.owner)]: data } : others };
  },
};

/** The record whose command is about to append, and the revision at which it was read. */
export type ClaimOwner = { readonly stream: string; readonly revision: number };
/** Result of an attempt to claim a value. */
export type ClaimOutcome =
  | { readonly outcome: 'claimed' }
  /**
   * Another record holds the value. If `settled` is false, that record's claim was still pending at the end of the
   * wait.
   */
  | { readonly outcome: 'held'; readonly by: string; readonly settled: boolean };

const PENDING_MS = 5_000;
const SHORT_WAIT_MS = 150;
const MAX_ROUNDS = 50;

const sameClaim = (a: Claim, b: Claim): boolean => a.scope === b.scope && a.kind === b.kind && a.value === b.value;

/**
 * Enforces uniqueness across streams. Each value has its own stream, `claim-<scope>_<hash>`, which records its owner. A
 * value has at most one owner per tenant.
 *
 * A claim is appended before the owner's event. At any moment, it is *held* (the owner's state contains the value),
 * *pending* (the owner may be about to append) or *dead*. A claim records the exact revision at which its owner will
 * append. If the owner's stream is past that revision and the owner's state lacks the value, a delayed append cannot
 * succeed. The claim is then dead, and another record may take it over. After 5 s, a fence ends a pending claim. A
 * fence is a technical event appended at the recorded revision.
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
   * Claims a value for `owner` and replaces the owner's own earlier claim. An attempt superseded by the same owner's
   * later claim also returns `claimed`, because its append cannot succeed. If another record's claim is pending,
   * `short` waits once. `settled` waits until the claim is held or dead, for about 5 s at most.
   */
  async acquire(claim: Claim, owner: ClaimOwner, wait: 'short' | 'settled' = 'short'): Promise<ClaimOutcome> {
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
      if (waited && wait === 'short') return { outcome: 'held', by, settled: false };
      waited = true;
      await this.clock.sleep(SHORT_WAIT_MS);
    }
    throw contended();
  }

  /**
   * Returns the streams of all records in any tenant that may hold the value. The caller must check their states,
   * because some of these records may never have held the value, or may no longer hold it.
   */
  async owners(claim: Claim): Promise<string[]> {
    return Object.values((await this.read(claim)).state.claimed).map(({ owner }) => owner);
  }

  /**
   * Returns the stream of the record in the claim's own scope that currently holds the value. If a claim is pending,
   * `settled` waits and `none` throws. With `none`, nothing is ever written, and states may be as old as `freshness`
   * allows. @throws DomainError unavailable while the owner is undecided because of competing claims
   */
  async holder(
    claim: Claim,
    wait: 'settled' | 'none' = 'settled',
    freshness: Freshness = {},
  ): Promise<string | undefined> {
    for (let round = 0; round < (wait === 'none' ? 1 : MAX_ROUNDS); round += 1) {
      const claimed = (await this.read(claim, freshness)).state.claimed[claim.scope];
      if (claimed === undefined) return undefined;
      const status =
        wait === 'none' ? await this.statusOf(claim, claimed, freshness) : await this.settle(claim, claimed);
      if (status === 'held') return claimed.owner;
      if (status === 'dead') return undefined;
      if (wait === 'settled') await this.clock.sleep(SHORT_WAIT_MS);
    }
    throw contended();
  }

  /**
   * Abandons a record before its creation. A fence appended at the record's first revision makes all of the record's
   * claims dead immediately. Otherwise, pending claims would block other records for 5 s. Does nothing if the record
   * has been created or abandoned in the meantime. In an existing record's stream, the fence occupies the next
   * revision, which invalidates earlier `If-Match` values.
   */
  abandon(owner: ClaimOwner): Promise<void> {
    return fence(this.appender, owner, { claim: 'all of this record', attemptId: currentContext().commandId });
  }

  /**
   * Releases a value that its owner no longer holds. Reads the claim before it reads the owner. Releases the claim at
   * the revision that it read, but only if the owner's stream is past the revision recorded in the claim. Therefore, a
   * pending claim is never released.
   */
  async release(claim: Claim, ownerStream: string): Promise<void> {
    const current = await this.read(claim);
    const claimed = current.state.claimed[tenantOf(ownerStream)];
    if (claimed?.owner !== ownerStream) return;
    const owner = await this.readOwner(ownerStream);
    if (owner.revision <= claimed.ownerRevision || this.holds(owner, claim)) return;
    await this.tryWrite(current, { type: 'ClaimReleased', data: { owner: ownerStream } });
  }

  /**
   * Returns a claim's status from the perspective of `owner`. An unclaimed value and the owner's own claim count as
   * dead.
   */
  private async standing(
    claim: Claim,
    owner: ClaimOwner,
    { state }: Loaded<ClaimState>,
  ): Promise<{ status: 'held' | 'dead' | 'pending'; by: string }> {
    const claimed = state.claimed[tenantOf(owner.stream)];
    if (claimed === undefined || claimed.owner === owner.stream) return { status: 'dead', by: owner.stream };
    return { status: await this.settle(claim, claimed), by: claimed.owner };
  }

  private read(claim: Claim, freshness?: Freshness): Promise<Loaded<ClaimState>> {
    return this.reader.read(claimAggregate, claim.scope, hashOf(claim), freshness);
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

  private async statusOf(claim: Claim, claimed: Claimed, freshness?: Freshness): Promise<'held' | 'dead' | 'pending'> {
    const owner = await this.readOwner(claimed.owner, freshness);
    if (this.holds(owner, claim)) return 'held';
    return owner.revision > claimed.ownerRevision ? 'dead' : 'pending';
  }

  /** Like `statusOf`, but fences off a claim that has been pending for too long. */
  private async settle(claim: Claim, claimed: Claimed): Promise<'held' | 'dead' | 'pending'> {
    const status = await this.statusOf(claim, claimed);
    if (status !== 'pending') return status;
    // The replicas' clocks differ slightly, so a claim may appear to have been made in the future. If it is dated far
    // in the future, a clock has been set back, and the claim must not stay pending.
    if (Math.abs(this.clock.nowMs() - claimed.atMs) < PENDING_MS) return 'pending';
    return this.fenceOff(claim, claimed);
  }

  /** Prevents a delayed append by the owner, then reads the owner again. */
  private async fenceOff(claim: Claim, claimed: Claimed): Promise<'held' | 'dead'> {
    const { owner: stream, ownerRevision: revision, attemptId } = claimed;
    const because = { claim: streamName('claim', claim.scope, hashOf(claim)), attemptId };
    await fence(this.appender, { stream, revision }, because);
    return this.holds(await this.readOwner(stream), claim) ? 'held' : 'dead';
  }

  private readOwner(stream: string, freshness?: Freshness): Promise<Loaded<unknown>> {
    const { aggregate, tenantId, id } = recordOf(this.catalogue, stream);
    return this.reader.read(aggregate, tenantId, id, freshness);
  }

  private holds({ stream, state }: Loaded<unknown>, claim: Claim): boolean {
    const { aggregate, tenantId } = recordOf(this.catalogue, stream);
    return aggregate.claims?.(state, tenantId).some((held) => sameClaim(held, claim)) ?? false;
  }
}

/**
 * Whether the owner has already claimed the value at a later revision, so that this attempt's append cannot succeed. If
 * this attempt overwrote that claim, the later attempt would appear dead although it may still succeed.
 */
function isOvertaken(state: ClaimState, owner: ClaimOwner): boolean {
  const claimed = state.claimed[tenantOf(owner.stream)];
  return claimed?.owner === owner.stream && claimed.ownerRevision > owner.revision;
}

const contended = (): DomainError =>
  new DomainError('unavailable', 'UNAVAILABLE', 'Too many concurrent requests claim this value. Try again.', {
    retryAfterSeconds: 1,
  });

/**
 * Returns the hash that names the stream of a value. The length prefix ensures that (kind, value) pairs are distinct,
 * and the hash keeps personal data out of stream names.
 */
function hashOf({ kind, value }: Claim): string {
  return hash('sha256', `${kind.length}:${kind}${value}`, 'base64url');
}
