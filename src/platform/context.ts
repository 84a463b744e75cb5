import { AsyncLocalStorage } from 'node:async_hooks';

/** Who acts: a signed-in user or operator, a partner by its source, or the service itself. */
export type Actor =
  | { readonly kind: 'user' | 'operator'; readonly userId: string; readonly sessionId: string }
  | { readonly kind: 'partner'; readonly sourceId: string; readonly keyId: string }
  | { readonly kind: 'system'; readonly name: string }
  | { readonly kind: 'anonymous' };

/**
 * What is known of the request (or background step) that is under way; every event's metadata comes from here, never
 * from a handler's arguments.
 */
export type RequestContext = {
  /** The tenant acted for; `platform` for operators. */
  readonly tenantId: string;
  readonly actor: Actor;
  readonly branchId?: string;
  /** From X-Request-Id or made; for background steps that of the request that caused them. */
  readonly requestId: string;
  /** The chain of causes that the request began. */
  readonly correlationId: string;
  /** The event that a policy reacts to. */
  readonly causationId?: string;
  readonly ip?: string;
  readonly userAgent?: string;
  /** A fresh UUIDv7 for each request: event ids derive from it (or, in a policy, from the causing event's id). */
  readonly commandId: string;
  /** Form of If-Match: the revision that the record must have for the command to be carried out. */
  readonly ifMatch?: number;
};

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work` (and all that it awaits) as part of `context`. */
export const inContext = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

/** Runs `work` as commands beside the one whose record If-Match speaks of; `own`: what else is different for them. */
export function besideIfMatch<T>(work: () => T, own: Partial<RequestContext> = {}): T {
  const { ifMatch: _, ...context } = currentContext();
  return inContext({ ...context, ...own }, work);
}

/** What the service does by itself: the events say by which part of it. */
export type OwnWork = Pick<RequestContext, 'tenantId' | 'commandId' | 'causationId'> & {
  /** The part of the service that acts. */
  readonly name: string;
  /** What began it, as a caller's request would have. Default: the command. */
  readonly requestId?: string;
  /** The chain of causes that it belongs to. Default: the request. */
  readonly correlationId?: string;
};

/** Runs `work` as the service's own doing. */
export function asService<T>(own: OwnWork, work: () => T): T {
  const { name, requestId = own.commandId, correlationId = requestId, ...rest } = own;
  return inContext({ ...rest, actor: { kind: 'system', name }, requestId, correlationId }, work);
}

/** The context under way. @throws Error outside of one: an event without an origin must not be written */
export function currentContext(): RequestContext {
  const context = storage.getStore();
  if (!context) throw new Error('No request context: commands run inside inContext().');
  return context;
}
