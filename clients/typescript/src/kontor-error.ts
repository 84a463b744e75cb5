import type { components } from './schema.js';

type ErrorBody = components['schemas']['ErrorResponseDto'];
/** What is wrong with one field of what was sent: `lines[0].quantity`. */
export type Fault = { readonly path: string; readonly message: string };

export type ErrorDetails = {
  /** What an operator finds the request by. */
  readonly requestId?: string | undefined;
  readonly errors?: readonly Fault[] | undefined;
  /** After which another try may go better, as the service says. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
};

const PASSING = new Set([0, 502, 503, 504]);

/** A request that did not succeed, in the service's own words where it answered at all. */
export class KontorError extends Error {
  override readonly name = 'KontorError';
  readonly requestId: string | undefined;
  readonly errors: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    /** Of HTTP; 0 where no answer came. */
    readonly status: number,
    /** `VALIDATION_FAILED`, `REVISION_CONFLICT`, …; `UNREACHABLE` where no answer came. */
    readonly code: string,
    message: string,
    { requestId, errors = [], retryAfterSeconds, cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.requestId = requestId;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Worth another try without anything being changed. */
  get isPassing(): boolean {
    return PASSING.has(this.status);
  }

  /** What is wrong with one field of what was sent. */
  fault(path: string): string | undefined {
    return this.errors.find((each) => each.path === path)?.message;
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body;

/** The error of an answer whose status is not one of success. */
export function errorOf({ status, headers }: Response, body: unknown): KontorError {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  const requestId = headers.get('x-request-id') ?? undefined;
  if (!isErrorBody(body))
    return new KontorError(status, 'UNKNOWN', `The service answered ${status}.`, { requestId, retryAfterSeconds });
  const { code, message, errors } = body;
  return new KontorError(status, code, message, { requestId: body.requestId, errors, retryAfterSeconds });
}
