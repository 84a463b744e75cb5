import type { z } from 'zod';

/** What the audit log makes of an event. */
export type AuditAction = 'CREATE' | 'UPDATE' | 'DELETE' | 'LOGIN' | 'LOGOUT' | 'OTHER';

/**
 * What the audit log says of an event. `entity` with the id that `subject` finds in the event's data is the record that
 * the entry is about; without `subject` that is the record whose stream it is. Events about a part that rides on another
 * record's stream (a sale's transaction) name the part. `label`: what people call the record, in a few words.
 */
export type AuditDeclaration<Data = never> = {
  readonly action: AuditAction;
  readonly entity: string;
  readonly subject?: (data: Data) => string | null;
  readonly label?: (data: Data) => string;
};

/** How one type of event looks in its current version, and how its older versions become it. */
export type EventDeclaration<Data extends object = object> = {
  readonly schema: z.ZodType<Data>;
  /** Schema version that is written today. */
  readonly version: number;
  /** `upcasters[n]` turns data of version n into data of version n + 1. */
  readonly upcasters: Readonly<Record<number, (data: object) => object>>;
  /** Domain events have exactly one audit entry; technical ones (null) have none. */
  readonly audit: AuditDeclaration | null;
};

type Options = { readonly version?: number; readonly upcasters?: EventDeclaration['upcasters'] };
type AuditOptions<Data> = Pick<AuditDeclaration<Data>, 'subject' | 'label'>;

/** An event of the business: audited under `action` on `entity`. */
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

/** An event of the machinery (claims, fences, rotations): not audited. */
export const technical = <S extends z.ZodType<object>>(
  schema: S,
  { version = 1, upcasters = {} }: Options = {},
): EventDeclaration<z.output<S>> => ({
  schema: schema as unknown as z.ZodType<z.output<S>>,
  version,
  upcasters,
  audit: null,
});

/** The event types of an aggregate, by name. */
export type EventDeclarations = Readonly<Record<string, EventDeclaration>>;

/** The union of `{ type, data }` that declarations allow. */
export type EventOf<D extends EventDeclarations> = {
  [T in keyof D & string]: {
    readonly type: T;
    readonly data: D[T] extends EventDeclaration<infer Data> ? Data : never;
  };
}[keyof D & string];

/** A fact. `type` is written to the store for ever: literal, past tense, never built from strings. */
export type DomainEvent = { readonly type: string; readonly data: object };

/**
 * A value that only one owner at a time may hold (an e-mail address, a code, a link).
 * `scope` is the tenant's id, or `platform` where the value is unique over all tenants.
 */
export type Claim = {
  readonly scope: string;
  /** What kind of value: `user-email`, `customer-code`. Part of the claim's stream for ever. */
  readonly kind: string;
  /** Already normalised (case, spaces): equal values are equal strings. */
  readonly value: string;
  /** Code of the 409 when another owner holds it; null where the value is then simply not claimed. */
  readonly refusal: { readonly code: string; readonly message: string } | null;
};

/** What a record is to the others of its tenant; see src/platform/memberships.ts. */
export type Membership = {
  /** It counts: as one of those of whom somebody must remain, or as something that may be used. */
  readonly keeps: boolean;
  /** Streams of the records that it uses, so that they may not be deleted. */
  readonly uses: readonly string[];
};

/** How an aggregate's records depend on each other in a tenant; kept by src/platform/memberships.ts. */
export type MembershipRule<State> = {
  readonly of: (state: State, tenantId: string) => Membership;
  /** What stands in the way of a record that would cease to keep: being the last of its kind, or being used. */
  readonly staysWhile: 'last' | 'used';
  readonly refusal: { readonly code: string; readonly message: string };
};

/** The pure heart of a feature: how a stream is named, where it starts and how events change it. */
export type Aggregate<State, Event extends DomainEvent> = {
  /** First part of the stream's name: `<name>-<tenantId>_<id>`. */
  readonly name: string;
  readonly events: EventDeclarations;
  readonly initial: State;
  /** `revision`: that of the event in the stream. */
  readonly evolve: (state: State, event: Event, revision: number) => State;
  /** The values that a record in this state holds; the command runner claims what a command adds, releases what it drops. */
  readonly claims?: (state: State, tenantId: string) => readonly Claim[];
  /** For rules over all records of a tenant that must hold strictly. */
  readonly membership?: MembershipRule<State>;
};

/** A business rule: looks at the state and answers with new events (`[]`: already so), or throws a DomainError. */
export type Decision<State, Data, Event> = (state: State, data: Data, now: Date) => readonly Event[];

/** Folds events, in order, into a state; `from` is the state at `revision`, −1 where nothing is before the events. */
export const fold = <S, E extends DomainEvent>(
  aggregate: Aggregate<S, E>,
  events: readonly E[],
  from: S = aggregate.initial,
  revision = -1,
): S => events.reduce((state, event, index) => aggregate.evolve(state, event, revision + 1 + index), from);
