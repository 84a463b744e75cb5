import { z } from 'zod';
import type { Clock, Ids } from '../ports/time.js';
import { technical, type Aggregate, type EventOf, type Membership, type MembershipRule } from './aggregate.js';
import type { Appender } from './appender.js';
import { appendAt, fence, recordOf } from './coordination.js';
import { conflict, DomainError, notFound } from './domain-error.js';
import type { EventCatalogue } from './event-catalogue.js';
import type { Loaded, RecordReader } from './record-reader.js';
import { parseStreamName, streamName } from './stream-name.js';

const membershipEvents = {
  MembershipIntended: technical(
    z.object({
      /** Stream of the record that will change. */
      subject: z.string(),
      /** Revision of that stream before the change; −1 for a new stream. */
      revision: z.number().int(),
      attemptId: z.string(),
      atMs: z.number(),
      change: z.enum(['joins', 'leaves', 'stays']),
      /** Streams of the records that the changed record starts to use. */
      uses: z.array(z.string()),
      /** Name of the rule, if it has one. */
      rule: z.exactOptional(z.string()),
    }),
  ),
};
type MembershipEvent = EventOf<typeof membershipEvents>;
type Intent = MembershipEvent['data'];
/**
 * Intents, newest first. States share this linked list instead of copying it, because a tenant may have one intent for
 * each user and role.
 */
type Intents = { readonly intent: Intent; readonly earlier: Intents } | null;
type MembershipState = { readonly intents: Intents };

/** The stream of a tenant's intents, in order of admission. */
export const membershipAggregate: Aggregate<MembershipState, MembershipEvent> = {
  name: 'membership',
  events: membershipEvents,
  initial: { intents: null },
  evolve: ({ intents }, { data }) => ({ intents: { intent: data, earlier: intents } }),
};

/** A change that will be appended at exactly `revision + 1`. */
export type MemberChange = {
  readonly stream: string;
  readonly revision: number;
  readonly before: Membership;
  readonly after: Membership;
};

const PENDING_MS = 5_000;
const SHORT_WAIT_MS = 100;
const MAX_ROUNDS = 100;
const ALL = 'all';

/**
 * Enforces strict rules across several records of a tenant. At least one record of certain kinds must remain, such as
 * an active owner or a platform operator. A record that is in use, such as a role, cannot be deleted.
 *
 * A single stream, `membership-<tenantId>_all`, serializes all such changes, because every append to it expects the
 * exact revision. Each change first appends an intent to this stream. The intent contains the revision of the record's
 * stream before the change. The records themselves remain the source of truth. An intent is *settled* once the record's
 * stream is past that revision. Until then, a removal counts as completed, but an addition does not. After 5 s, a fence
 * in the record's stream prevents a delayed command from completing.
 */
export class Memberships {
  constructor(
    private readonly reader: RecordReader,
    private readonly appender: Appender,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Admits a change and records its intent, or rejects it. Must be called before each attempt to append the change.
   * Records no intent for a change that affects no other record. Returns whether it recorded an intent.
   * @throws DomainError conflict with the rule's code; the rule's `gone` error if a newly used record does not count or
   * is about to stop counting
   */
  async admit<S>(tenantId: string, rule: MembershipRule<S>, change: MemberChange): Promise<boolean> {
    const intent = intentOf(rule, change);
    if (!intent) return false;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const current = await this.reader.read(membershipAggregate, tenantId, ALL);
      const intents = [...each(current.state, rule.name)];
      if (intent.change === 'leaves' && !(await this.mayLeave(intents, change.stream, rule.staysWhile)))
        throw conflict(rule.refusal.code, rule.refusal.message);
      for (const used of intent.uses)
        if (!(await this.stays(intents, used, rule.name))) throw rule.gone?.() ?? notFound('record');
      const attempt = { attemptId: this.ids.next(), atMs: this.clock.nowMs() };
      if (await this.note(current, { ...intent, ...attempt })) return true;
    }
    throw contended();
  }

  private async mayLeave(intents: readonly Intent[], stream: string, staysWhile: 'last' | 'used'): Promise<boolean> {
    if (staysWhile === 'last') return this.somebodyElseKeeps(intents, stream);
    return !(await this.somebodyUses(intents, stream));
  }

  private async somebodyElseKeeps(intents: readonly Intent[], subject: string): Promise<boolean> {
    const seen = new Set([subject]);
    for (const intent of intents) {
      if (seen.has(intent.subject) || entityOf(intent.subject) !== entityOf(subject)) continue;
      // Only the newest intent of a record can still be completed.
      seen.add(intent.subject);
      if (await this.keeps(intent)) return true;
    }
    return false;
  }

  /** Whether a record counts (see `Membership.keeps`) and no pending intent will change this. */
  private async keeps(intent: Intent): Promise<boolean> {
    const { membership, revision } = await this.member(intent.subject, intent.rule);
    if (!membership.keeps || intent.change !== 'leaves' || revision > intent.revision) return membership.keeps;
    if (this.isYoung(intent)) return false;
    await this.fence(intent);
    return (await this.member(intent.subject, intent.rule)).membership.keeps;
  }

  /** Whether a record that is to be used counts, and no pending intent will change this. */
  private async stays(intents: readonly Intent[], used: string, rule: string | undefined): Promise<boolean> {
    const intent = intents.find(({ subject }) => subject === used);
    return intent ? this.keeps(intent) : (await this.member(used, rule)).membership.keeps;
  }

  /** Returns whether a member uses the record. Waits for pending intents that would use it. */
  private async somebodyUses(intents: readonly Intent[], used: string): Promise<boolean> {
    const seen = new Set<string>();
    for (const intent of intents) {
      if (!intent.uses.includes(used) || seen.has(intent.subject)) continue;
      seen.add(intent.subject);
      if (await this.uses(intent, used)) return true;
    }
    return false;
  }

  private async uses(intent: Intent, used: string): Promise<boolean> {
    for (;;) {
      const { membership, revision } = await this.member(intent.subject, intent.rule);
      if (membership.uses.includes(used)) return true;
      if (revision > intent.revision) return false;
      if (this.isYoung(intent)) await this.clock.sleep(SHORT_WAIT_MS);
      else await this.fence(intent);
    }
  }

  private async member(
    stream: string,
    name: string | undefined,
  ): Promise<{ membership: Membership; revision: number }> {
    const { aggregate, tenantId, id } = recordOf(this.catalogue, stream);
    const rule = aggregate.memberships?.find((each) => each.name === name);
    if (!rule) throw new Error(`${stream} has no memberships`);
    const { state, revision } = await this.reader.read(aggregate, tenantId, id);
    return { membership: rule.of(state, tenantId), revision };
  }

  private isYoung({ atMs }: Intent): boolean {
    return Math.abs(this.clock.nowMs() - atMs) < PENDING_MS;
  }

  /** Prevents a delayed command from completing the intent. */
  private fence({ subject: stream, revision, attemptId }: Intent): Promise<void> {
    const tenantId = parseStreamName(stream)?.tenantId ?? '';
    const claim = streamName(membershipAggregate.name, tenantId, ALL);
    return fence(this.appender, { stream, revision }, { claim, attemptId });
  }

  private note(current: Loaded<MembershipState>, data: Intent): Promise<boolean> {
    return appendAt({ appender: this.appender, reader: this.reader }, membershipAggregate, current, {
      type: 'MembershipIntended',
      data,
    });
  }
}

/** Returns the intent to record for a change; undefined if the change affects no other record. */
function intentOf<S>(
  { name, staysWhile }: MembershipRule<S>,
  { stream, revision, before, after }: MemberChange,
): Omit<Intent, 'attemptId' | 'atMs'> | undefined {
  const uses = after.uses.filter((used) => !before.uses.includes(used));
  const change = before.keeps === after.keeps ? 'stays' : after.keeps ? 'joins' : 'leaves';
  const isNoted = staysWhile === 'last' ? change !== 'stays' : change === 'leaves';
  return isNoted || uses.length > 0
    ? { subject: stream, revision, change, uses, ...(name !== undefined && { rule: name }) }
    : undefined;
}

/** Yields the intents of one rule, newest first. */
function* each({ intents }: MembershipState, rule: string | undefined): Iterable<Intent> {
  for (let cell = intents; cell; cell = cell.earlier) if (cell.intent.rule === rule) yield cell.intent;
}

const entityOf = (stream: string): string | undefined => parseStreamName(stream)?.entity;

const contended = (): DomainError =>
  new DomainError('unavailable', 'UNAVAILABLE', 'Too many concurrent changes. Try again.', { retryAfterSeconds: 1 });
