import type { components } from './schema.js';

type Problem = Omit<components['schemas']['ErrorResponseDto'], 'statusCode'> & {
  readonly tenants?: readonly TenantChoice[];
};
/** Validation error of one field. `path` identifies the field, for example `lines[0].quantity`. */
export type Fault = { readonly path: string; readonly message: string };
/** A tenant that the user can choose at sign-in. */
export type TenantChoice = { readonly name: string; readonly slug: string };

export type ErrorDetails = ErrorOptions & {
  /** Identifies the request in the service's log. */
  readonly requestId?: string | undefined;
  readonly errors?: readonly Fault[] | undefined;
  /** Set only for TENANT_REQUIRED. */
  readonly tenants?: readonly TenantChoice[] | undefined;
  /** Suggested delay before a retry, in seconds. */
  readonly retryAfterSeconds?: number | undefined;
};

/** Statuses of a service that is temporarily unavailable, or of a proxy in front of it. */
const AWAY: readonly number[] = [502, 503, 504];
export const isAway = (status: number): boolean => AWAY.includes(status);

/** Retry-After in seconds; undefined if it is missing or a date. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** A failed request, with the service's error message if there was a response. */
export class KontorError extends Error {
  override readonly name = 'KontorError';
  readonly requestId: string | undefined;
  readonly errors: readonly Fault[];
  /** For TENANT_REQUIRED, the tenants for which the password is correct. Empty if there are too many to list. */
  readonly tenants: readonly TenantChoice[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    /** HTTP status, or 0 if there was no response. */
    readonly status: number,
    /** `VALIDATION_FAILED`, `REVISION_CONFLICT`, …, or `UNREACHABLE` if there was no response. */
    readonly code: string,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message, details);
    this.requestId = details.requestId;
    this.errors = details.errors ?? [];
    this.tenants = details.tenants ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** Whether the service is temporarily unreachable, so that a retry may succeed. */
  get isPassing(): boolean {
    return this.status === 0 || isAway(this.status);
  }

  /** Returns the message of a field's validation error; undefined if there is none. */
  fault(path: string): string | undefined {
    return this.errors.find((each) => each.path === path)?.message;
  }
}

/**
 * Returns the error in a response body; undefined if the body contains none. Only the partner intake wraps it in
 * `error`.
 */
function problemIn(body: unknown): Problem | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('error' in body) return problemIn(body.error);
  return 'code' in body && 'message' in body ? (body as Problem) : undefined;
}

/** Creates the error for an unsuccessful response, or for a part of a response that has a separate status. */
export function errorOf(response: Response, body: unknown, status = response.status): KontorError {
  const { headers } = response;
  const retryAfterSeconds = retryAfterOf(response);
  const requestId = headers.get('x-request-id') ?? undefined;
  const problem = problemIn(body);
  if (problem === undefined)
    return new KontorError(status, 'UNKNOWN', `The service answered ${status}.`, { requestId, retryAfterSeconds });
  const { code, message, errors, tenants } = problem;
  return new KontorError(status, code, message, { requestId: problem.requestId, errors, tenants, retryAfterSeconds });
}
