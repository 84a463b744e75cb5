import { errorOf, KontorError } from '../../../clients/typescript/src/kontor-error';

export { KontorError };

/** What an answer or a broken connection comes to. */
export function problemOf(cause: Response): Promise<KontorError>;
export function problemOf(cause: unknown): KontorError;
export function problemOf(cause: unknown): KontorError | Promise<KontorError> {
  if (cause instanceof Response)
    return cause.json().then(
      (body: unknown) => errorOf(cause, body),
      () => errorOf(cause, undefined),
    );
  if (cause instanceof KontorError) return cause;
  return navigator.onLine
    ? new KontorError(0, 'UNREACHABLE', 'The service does not answer.')
    : new KontorError(0, 'OFFLINE', 'This device is offline.');
}
