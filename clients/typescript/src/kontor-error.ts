import type { components } from './schema.js';

type ErrorBody = components['schemas']['ErrorResponseDto'];
/** What is wrong with one field of what was sent: `lines[0].quantity`. */
export type Fault = { readonly path: string; readonly message: string };

export type ErrorDetails = ErrorOptions & {
  /** What an operator finds the request by. */
  readonly requestId?: string | undefined;
  readonly errors?: readonly Fault[] | undefined;
  /** After which another try may go better, as the service says. */
  readonly retryAfterSeconds?: number | undefined;
};

/** Statuses of a service, or of a proxy before it, that cannot answer now. */
const AWAY: readonly number[] = [502, 503, 504];
export const isAway = (status: number): boolean => AWAY.includes(status);

/** Retry-After in seconds; undefined where it is not there, or is a date. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

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
    details: ErrorDetails = {},
  ) {
    super(message, details);
    this.requestId = details.requestId;
    this.errors = details.errors ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** The service, or the way to it, is away: the same may go well later. */
  get isPassing(): boolean {
    return this.status === 0 || isAway(this.status);
  }

  /** What is wrong with one field of what was sent. */
  fault(path: string): string | undefined {
    return this.errors.find((each) => each.path === path)?.message;
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body;

/** The error of an answer whose status is not one of success. */
export function errorOf(response: Response, body: unknown): KontorError {
  const { status, headers } = response;
  const retryAfterSeconds = retryAfterOf(response);
  const requestId = headers.get('x-request-id') ?? undefined;
  if (!isErrorBody(body))
    return new KontorError(status, 'UNKNOWN', `The service answered ${status}.`, { requestId, retryAfterSeconds });
  const { code, message, errors } = body;
  return new KontorError(status, code, message, { requestId: body.requestId, errors, retryAfterSeconds });
}
