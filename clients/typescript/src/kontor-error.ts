import type { components } from './schema.js';

type ErrorBody = components['schemas']['ErrorResponseDto'];
/** What is wrong with one field of what was sent: `lines[0].quantity`. */
export type Fault = { readonly path: string; readonly message: string };

/** A request that did not succeed, in the service's own words where it answered at all. */
export class KontorError extends Error {
  override readonly name = 'KontorError';

  constructor(
    /** Of HTTP; 0 where no answer came. */
    readonly status: number,
    /** `VALIDATION_FAILED`, `REVISION_CONFLICT`, …; `UNREACHABLE` where no answer came. */
    readonly code: string,
    message: string,
    /** What an operator finds the request by. */
    readonly requestId?: string,
    readonly errors: readonly Fault[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body;

/** The error of an answer whose status is not one of success. */
export function errorOf(response: Response, body: unknown): KontorError {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (!isErrorBody(body))
    return new KontorError(response.status, 'UNKNOWN', `The service answered ${response.status}.`, requestId);
  return new KontorError(response.status, body.code, body.message, body.requestId, body.errors ?? []);
}
