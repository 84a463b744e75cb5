/** Kinds of rejections. `http/problem.ts` maps each kind to an HTTP status. */
export type ErrorKind =
  'invalid' | 'unauthenticated' | 'forbidden' | 'not_found' | 'conflict' | 'limited' | 'unavailable';

/** An invalid part of the input. `path` is dotted, with list indexes in brackets: `lines[0].quantity`. */
export type Fault = { readonly path: string; readonly message: string };

/** Additional members of an error response. */
export type ErrorDetails = {
  readonly errors?: readonly Fault[];
  /** The tenants to choose from, for TENANT_REQUIRED. */
  readonly tenants?: readonly { readonly name: string; readonly slug: string }[];
  /** Number of seconds to wait before retrying (`Retry-After` header). */
  readonly retryAfterSeconds?: number;
};

/** A rejection that the caller sees. `code` is part of the API contract. `message` never contains a secret. */
export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

/** Creates a 404 NOT_FOUND error. `what` is the noun in the message, such as "customer" in "No such customer.". */
export const notFound = (what: string): DomainError => new DomainError('not_found', 'NOT_FOUND', `No such ${what}.`);
/** Creates a 409 error with a specific code. */
export const conflict = (code: string, message: string): DomainError => new DomainError('conflict', code, message);
/** Creates a 400 error that lists all faults in the input. The error has the message of the first fault. */
export const invalid = (errors: readonly Fault[], code = 'VALIDATION_FAILED'): DomainError =>
  new DomainError('invalid', code, errors[0]?.message ?? 'The request is invalid.', { errors });

/**
 * Creates the error for read models that have not yet applied an event that is already stored. A retry usually succeeds
 * within moments.
 */
export const readModelBehind = (): DomainError =>
  new DomainError('unavailable', 'READ_MODEL_BEHIND', 'The read models have not caught up yet. Try again.', {
    retryAfterSeconds: 1,
  });

/** Thrown if the position requested by the caller is beyond the last event. */
export class PositionNotReached extends DomainError {
  constructor() {
    const message = 'The history does not contain this position yet. Use the X-Event-Position of a response.';
    super('unavailable', 'READ_MODEL_BEHIND', message, { retryAfterSeconds: 1 });
  }
}

/** Creates the 404 error for a request field that refers to a missing record. */
export function notFoundAt(path: string, what: string): DomainError {
  const message = `No such ${what}.`;
  return new DomainError('not_found', 'NOT_FOUND', message, { errors: [{ path, message }] });
}

/** Runs work on one part of the request, and prefixes the paths in its errors with the part's path. */
export async function withinPath<T>(part: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.details.errors === undefined) throw error;
    const errors = error.details.errors.map(({ path, message }) => ({ path: `${part}.${path}`, message }));
    throw new DomainError(error.kind, error.code, error.message, { ...error.details, errors });
  }
}
