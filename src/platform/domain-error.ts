/** The only vocabulary in which the core refuses. `http/problem.ts` maps `kind` to a status, in one table. */
export type ErrorKind =
  'invalid' | 'unauthenticated' | 'forbidden' | 'not_found' | 'conflict' | 'limited' | 'unavailable';

/** One thing at fault in the input. `path` is dotted, with list indexes in brackets: `lines[0].quantity`. */
export type Fault = { readonly path: string; readonly message: string };

/** What a refusal tells beside its code. */
export type ErrorDetails = {
  readonly errors?: readonly Fault[];
  /** Seconds after which trying again makes sense (header `Retry-After`). */
  readonly retryAfterSeconds?: number;
};

/** A refusal that the caller is meant to see: `code` is part of the contract, `message` never holds a secret. */
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

/** 404 NOT_FOUND; `what`: as in "No such customer.". */
export const notFound = (what: string): DomainError => new DomainError('not_found', 'NOT_FOUND', `No such ${what}.`);
/** 409 with a code of its own. */
export const conflict = (code: string, message: string): DomainError => new DomainError('conflict', code, message);
/** 400, with every fault of the input; the first one is the message. */
export const invalid = (errors: readonly Fault[], code = 'VALIDATION_FAILED'): DomainError =>
  new DomainError('invalid', code, errors[0]?.message ?? 'The request is not valid.', { errors });

/** The read models lack something that was written already; it takes them a moment. */
export const readModelBehind = (): DomainError =>
  new DomainError('unavailable', 'READ_MODEL_BEHIND', 'The read models are not that far yet.', {
    retryAfterSeconds: 1,
  });

/** A record that a request names in one of its fields, and that is not there. */
export function notFoundAt(path: string, what: string): DomainError {
  const message = `No such ${what}.`;
  return new DomainError('not_found', 'NOT_FOUND', message, { errors: [{ path, message }] });
}
