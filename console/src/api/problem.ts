import type { components } from '../../../clients/typescript/src/schema';

type ErrorBody = components['schemas']['ErrorResponseDto'];

/** A request that did not succeed, in the service's own words where it answered at all. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    /** 0: no answer came. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId?: string,
    readonly errors: readonly { readonly path: string; readonly message: string }[] = [],
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  /** Worth another try without anything being changed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 503 || this.status === 502 || this.status === 504;
  }

  /** What is wrong with one field of what was sent. */
  fault(path: string): string | undefined {
    return this.errors.find((each) => each.path === path)?.message;
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'message' in body && 'code' in body;

/** The problem of a body that came with a status of failure. */
export function problemFrom(response: Response, body: unknown): Problem {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const seconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  if (!isErrorBody(body))
    return new Problem(response.status, 'UNKNOWN', `The service answered ${response.status}.`, requestId, [], seconds);
  return new Problem(response.status, body.code, body.message, body.requestId, body.errors ?? [], seconds);
}

/** What an answer or a broken connection comes to. */
export function problemOf(cause: Response): Promise<Problem>;
export function problemOf(cause: unknown): Problem;
export function problemOf(cause: unknown): Problem | Promise<Problem> {
  if (cause instanceof Response)
    return cause.json().then(
      (body: unknown) => problemFrom(cause, body),
      () => problemFrom(cause, undefined),
    );
  if (cause instanceof Problem) return cause;
  return navigator.onLine
    ? new Problem(0, 'UNREACHABLE', 'The service does not answer.')
    : new Problem(0, 'OFFLINE', 'This device is offline.');
}
