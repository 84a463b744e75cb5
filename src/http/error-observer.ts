import type { NotedError } from '../platform/counted-error.js';
import { describeError, fingerprintOf } from '../platform/error-description.js';
import type { Clock } from '../ports/time.js';
import type { Outcome } from './kernel.js';
import { placeOf, RefusalWatch } from './refusal-watch.js';

/** Notes what the error log is to know of requests. `note` must not throw. */
export class ErrorObserver {
  private readonly refusals: RefusalWatch;

  constructor(
    private readonly note: (noted: NotedError) => void,
    clock: Clock,
  ) {
    this.refusals = new RefusalWatch(note, clock);
  }

  /** Asked for every request: whatever went well costs one comparison. Never throws. */
  observe(outcome: Outcome): void {
    if (outcome.status < 400) return;
    if (outcome.status >= 500) this.note(failureOf(outcome));
    else this.refusals.observe(outcome);
  }
}

/** Where a request's address is none of the service's. */
const NO_ROUTE = 'unknown address';

/** Of what nobody foresaw the place in the sources tells the kind; that something is away is one kind for each route. */
function failureOf(outcome: Outcome): NotedError {
  const { status, code = null, method, route = NO_ROUTE, error } = outcome;
  const described = error === undefined ? undefined : describeError(error);
  const marks = status === 500 && described ? described.marks : [];
  return {
    fingerprint: fingerprintOf(['request', status, code, method, route, ...marks]),
    level: 'ERROR',
    message: described?.message ?? `${method} ${route} was answered with ${status}.`,
    code,
    statusCode: status,
    method,
    route,
    stack: described?.stack,
    ...placeOf(outcome),
  };
}
