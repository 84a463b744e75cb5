import { errorOf, KontorError } from '../../../clients/typescript/src/kontor-error';
import { t } from '../messages/catalogue';

export { KontorError };

/** Converts a response or a thrown value to a KontorError. */
export function problemOf(cause: Response): Promise<KontorError>;
export function problemOf(cause: unknown): KontorError;
export function problemOf(cause: unknown): KontorError | Promise<KontorError> {
  if (cause instanceof Response)
    return cause.json().then(
      (body: unknown) => errorOf(cause, body),
      () => errorOf(cause, undefined),
    );
  if (cause instanceof KontorError) return cause;
  return new KontorError(500, 'CONSOLE', cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Returns the error for a request that received no response. */
function unanswered(cause: unknown): KontorError {
  if (cause instanceof DOMException && cause.name === 'TimeoutError')
    return new KontorError(0, 'TIMEOUT', t('The service did not respond in time.'), { cause });
  return navigator.onLine
    ? new KontorError(0, 'UNREACHABLE', t('The service is not responding.'), { cause })
    : new KontorError(0, 'OFFLINE', t('This device is offline.'), { cause });
}

/** Converts network failures to a KontorError. Rethrows aborts by the given signal unchanged. */
export const lostBy =
  (signal?: AbortSignal) =>
  (cause: unknown): never => {
    throw signal?.aborted === true ? cause : unanswered(cause);
  };
