import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';

/**
 * Policy names. They are needed before the policies are constructed. A test compares them with the names in the
 * classes.
 */
export const POLICY_NAMES = [
  'booking',
  'healing',
  'tenant-seeding',
  'restoration',
  'category-learning',
  'rule-application',
  'notification',
] as const;
type PolicyName = (typeof POLICY_NAMES)[number];
export const BOOKING = 'booking' satisfies PolicyName;

export const isPolicyName = (name: string): name is PolicyName => (POLICY_NAMES as readonly string[]).includes(name);

const Instant = z.iso.datetime();

export const policyEvents = {
  PolicyPaused: domain('UPDATE', 'policy', z.object({ pausedAt: Instant })),
  PolicyResumed: domain('UPDATE', 'policy', z.object({ resumedAt: Instant })),
};
export type PolicyEvent = EventOf<typeof policyEvents>;

/** Time at which an operator paused the policy; null while it is running. */
export type PolicyControl = { readonly pausedAt: string | null };

/** Operators' requests to a policy. */
export const policy: Aggregate<PolicyControl, PolicyEvent> = {
  name: 'policy',
  events: policyEvents,
  initial: { pausedAt: null },
  evolve: (_, event) => ({ pausedAt: event.type === 'PolicyPaused' ? event.data.pausedAt : null }),
};

export const pausePolicy = ({ pausedAt }: PolicyControl, _: object, now: Date): PolicyEvent[] =>
  pausedAt === null ? [{ type: 'PolicyPaused', data: { pausedAt: now.toISOString() } }] : [];

export const resumePolicy = ({ pausedAt }: PolicyControl, _: object, now: Date): PolicyEvent[] =>
  pausedAt === null ? [] : [{ type: 'PolicyResumed', data: { resumedAt: now.toISOString() } }];
