import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Originator of an action: a signed-in user or operator, a partner identified by its source id, the service itself, or
 * an anonymous caller.
 */
export type Actor =
  | { readonly kind: 'user' | 'operator'; readonly userId: string; readonly sessionId: string }
  | { readonly kind: 'partner'; readonly sourceId: string; readonly keyId: string }
  | { readonly kind: 'system'; readonly name: string }
  | { readonly kind: 'anonymous' };

/**
 * Context of the current request or background step. Event metadata is taken from this context, never from a handler's
 * arguments.
 */
export type RequestContext = {
  /** Tenant of the action; `platform` for operators. */
  readonly tenantId: string;
  readonly actor: Actor;
  readonly branchId?: string;
  /**
   * Value of the `X-Request-Id` header, or a generated id. A background step inherits the id from the request that
   * caused the step.
   */
  readonly requestId: string;
  /** Identifies the causal chain that the request started. */
  readonly correlationId: string;
  /** Id of the event to which a policy is reacting. */
  readonly causationId?: string;
  readonly ip?: string;
  readonly userAgent?: string;
  /**
   * In a request, a unique UUIDv7; in a policy, the id of the event to which the policy is reacting. The ids of
   * appended events are derived from it.
   */
  readonly commandId: string;
  /** Value of the `If-Match` header: the revision that the record must have. */
  readonly ifMatch?: number;
};

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, including its asynchronous continuations, in `context`. */
export const inContext = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

/**
 * Runs `work` without the request's `If-Match` value, for commands on other records. `own` overrides context members.
 */
export function besideIfMatch<T>(work: () => T, own: Partial<RequestContext> = {}): T {
  const { ifMatch: _, ...context } = currentContext();
  return inContext({ ...context, ...own }, work);
}

/** Work that the service performs on its own initiative. */
export type OwnWork = Pick<RequestContext, 'tenantId' | 'commandId' | 'causationId'> & {
  /** The component that does the work. It is stored in the metadata of events. */
  readonly name: string;
  /** Id of the request that caused the work. Default: the command id. */
  readonly requestId?: string;
  /** Id of the causal chain. Default: the request id. */
  readonly correlationId?: string;
};

/** Runs `work` with the service itself as the actor. */
export function asService<T>(own: OwnWork, work: () => T): T {
  const { name, requestId = own.commandId, correlationId = requestId, ...rest } = own;
  return inContext({ ...rest, actor: { kind: 'system', name }, requestId, correlationId }, work);
}

/**
 * Returns the current context. @throws Error outside of inContext(), because an event without an origin must not be
 * appended
 */
export function currentContext(): RequestContext {
  const context = storage.getStore();
  if (!context) throw new Error('There is no request context. Run commands inside inContext().');
  return context;
}
