import type { z } from 'zod';

/** The action in an event's audit entry. */
export type AuditAction = 'CREATE' | 'UPDATE' | 'DELETE' | 'LOGIN' | 'LOGOUT' | 'OTHER';

/** The record to which an audit entry refers. */
export type AuditSubject = { readonly entity: string; readonly entityId: string };

/**
 * Defines how an event appears in the audit log.
 * - `subject` returns the id of the `entity`, taken from the event's data. Default: the record that owns the stream.
 * - `about` returns both entity and id, for events whose data determines both.
 * - `label` is the record's display name, in a few words.
 *
 * A record's stream may also contain events about one of its parts, such as a sale's transaction. The audit entries for
 * these events refer to the part.
 */
export type AuditDeclaration<Data = never> = {
  readonly action: AuditAction;
  readonly entity: string;
  readonly subject?: (data: Data) => string | null;
  readonly about?: (data: Data) => AuditSubject;
  readonly label?: (data: Data) => string;
};

/** The current schema of an event type, with upcasters for older versions. */
export type EventDeclaration<Data extends object = object> = {
  readonly schema: z.ZodType<Data>;
  /** Schema version of newly appended events. */
  readonly version: number;
  /** `upcasters[n]` converts data of version n to version n + 1. */
  readonly upcasters: Readonly<Record<number, (data: object) => object>>;
  /** Audit declaration of a domain event; null for a technical event, which has no audit entry. */
  readonly audit: AuditDeclaration | null;
};

type Options = { readonly version?: number; readonly upcasters?: EventDeclaration['upcasters'] };
type AuditOptions<Data> = Pick<AuditDeclaration<Data>, 'subject' | 'about' | 'label'>;

/** Declares a domain event, audited as `action` on `entity`. */
export const domain = <S extends z.ZodType<object>>(
  action: AuditAction,
  entity: string,
  schema: S,
  { version = 1, upcasters = {}, ...about }: Options & AuditOptions<z.output<S>> = {},
): EventDeclaration<z.output<S>> => ({
  schema: schema as unknown as z.ZodType<z.output<S>>,
  version,
  upcasters,
  audit: { action, entity, ...about },
});

/** Declares a technical event, such as a claim, fence or key rotation, which is not audited. */
export const technical = <S extends z.ZodType<object>>(
  schema: S,
  { version = 1, upcasters = {} }: Options = {},
): EventDeclaration<z.output<S>> => ({
  schema: schema as unknown as z.ZodType<z.output<S>>,
  version,
  upcasters,
  audit: null,
});

/** An aggregate's event types, by name. */
export type EventDeclarations = Readonly<Record<string, EventDeclaration>>;

/** Union of the `{ type, data }` pairs that the declarations allow. */
export type EventOf<D extends EventDeclarations> = {
  [T in keyof D & string]: {
    readonly type: T;
    readonly data: D[T] extends EventDeclaration<infer Data> ? Data : never;
  };
}[keyof D & string];

/** An event. Its `type` is stored permanently, so it must be a literal in the past tense, never a computed string. */
export type DomainEvent = { readonly type: string; readonly data: object };

/**
 * A value that only one record per tenant may hold at a time, such as an e-mail address, a code or a link. `scope` is
 * the tenant's id, or `platform` for values of platform records and for values that are looked up across tenants.
 */
export type Claim = {
  readonly scope: string;
  /**
   * Kind of value, such as `user-email` or `customer-code`. Part of the claim's stream name, so it must never change.
   */
  readonly kind: string;
  /** The value with normalized case and spaces, so that equivalent values are equal strings. */
  readonly value: string;
  /**
   * Error for the 409 response if another record holds the value. If null, the command then succeeds without claiming
   * the value.
   */
  readonly refusal: { readonly code: string; readonly message: string } | null;
};

/** A record's role in one of its tenant's membership rules; see src/eventsourcing/memberships.ts. */
export type Membership = {
  /** Whether the record counts as a member of a group that must not become empty, or as available to other records. */
  readonly keeps: boolean;
  /** Streams of the records that this record uses. While in use, those records cannot be deleted. */
  readonly uses: readonly string[];
};

/** A rule about dependencies between a tenant's records, enforced by src/eventsourcing/memberships.ts. */
export type MembershipRule<State> = {
  /** Distinguishes rules about the same records. Stored in intents, so it must never change. */
  readonly name?: string;
  readonly of: (state: State, tenantId: string) => Membership;
  /** Condition under which `keeps` must not become false: the record is the last of its kind, or it is in use. */
  readonly staysWhile: 'last' | 'used';
  readonly refusal: { readonly code: string; readonly message: string };
  /**
   * Returns the error if a record that is to be used is unavailable, or if a concurrent command makes it unavailable.
   */
  readonly gone?: () => Error;
};

/** The pure core of a feature: its stream name, its initial state and its state transitions. */
export type Aggregate<State, Event extends DomainEvent> = {
  /** First part of the stream's name: `<name>-<tenantId>_<id>`. */
  readonly name: string;
  readonly events: EventDeclarations;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /**
   * Returns the record's own revision: the number of changes since its creation. Required if the stream also contains
   * events about other records. Default: the stream's revision.
   */
  readonly revisionOf?: (state: State) => number;
  /**
   * Returns the values that a record in this state holds. The command runner claims added values and releases removed
   * ones.
   */
  readonly claims?: (state: State, tenantId: string) => readonly Claim[];
  /** Rules that must hold across all of a tenant's records, even under concurrent commands. */
  readonly memberships?: readonly MembershipRule<State>[];
};

/** A business rule: returns the new events for a state (`[]` if nothing changes), or throws a DomainError. */
export type Decision<State, Data, Event> = (state: State, data: Data, now: Date) => readonly Event[];

/** Applies events in order, starting from the state `from`. */
export const fold = <S, E extends DomainEvent>(
  aggregate: Aggregate<S, E>,
  events: readonly E[],
  from: S = aggregate.initial,
): S => events.reduce((state, event) => aggregate.evolve(state, event), from);
