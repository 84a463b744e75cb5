import { LRUCache } from 'lru-cache';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { NotedError } from '../observability/counted-error.js';
import { describeError, fingerprintOf } from '../observability/error-description.js';
import type { Clock } from '../ports/time.js';
import { clientNetwork } from '../security/addresses.js';
import type { Outcome } from './kernel.js';

const REFUSALS = [401, 403, 429];
const MANY = 10;
const WITHIN_MS = 60_000;
/** Maximum number of tracked callers. If there are more, the caller with the oldest rejection is dropped. */
const MAX_WATCHED = 2_000;
/** Route placeholder for requests to unknown paths. */
const NO_ROUTE = 'unknown address';

/** The monotonic times of a caller's last ten rejections, and the rejections that have not been logged yet. */
type Watched = { readonly times: number[]; unnoted: { readonly atMs: number; readonly outcome: Outcome }[] };

/**
 * Reports failed requests to the error log. Also reports the rejected requests of a principal or address that has had
 * ten rejections within a minute. Memory use is bounded. `note` must not throw.
 */
export class ErrorObserver {
  private readonly watched = new LRUCache<string, Watched>({ max: MAX_WATCHED });

  constructor(
    private readonly note: (noted: NotedError) => void,
    private readonly clock: Clock,
  ) {}

  /** Called for every request. Makes only one comparison for a successful request. Never throws. */
  observe(outcome: Outcome): void {
    if (outcome.status < 400 || outcome.isExpected === true) return;
    if (outcome.status >= 500) this.note(failureOf(outcome));
    else if (REFUSALS.includes(outcome.status)) this.refused(outcome);
  }

  private refused(outcome: Outcome): void {
    const who = whoOf(outcome);
    const watched = this.watched.get(who) ?? { times: [], unnoted: [] };
    this.watched.set(who, watched);
    const atMs = this.clock.monotonicMs();
    watched.times.push(atMs);
    if (watched.times.length > MANY) watched.times.shift();
    watched.unnoted = [...watched.unnoted.filter((one) => atMs - one.atMs < WITHIN_MS), { atMs, outcome }];
    const [first = atMs] = watched.times;
    if (watched.times.length < MANY || atMs - first >= WITHIN_MS) return;
    for (const one of watched.unnoted) this.note(refusalOf(one.outcome));
    watched.unnoted = [];
  }
}

function whoOf({ tenantId = '', userId, sourceId, ip }: Outcome): string {
  if (userId !== undefined) return ['user', userId].join();
  return (sourceId === undefined ? ['address', clientNetwork(ip)] : ['partner', tenantId, sourceId]).join();
}

/** Returns the fields that failures and rejections have in common. */
const occurrenceOf = ({ requestId, path, tenantId, branchId, userId, method, status, code }: Outcome) => ({
  ...{ requestId, path, tenantId, branchId, userId, method },
  statusCode: status,
  code: code ?? null,
});

/**
 * The fingerprint of an unexpected failure includes its source location. If an engine was unavailable, the fingerprint
 * includes only the route.
 */
function failureOf(outcome: Outcome): NotedError {
  const { status, code = null, method, route = NO_ROUTE, error } = outcome;
  const described = error === undefined ? undefined : describeError(error);
  const marks = status === 500 && described ? described.marks : [];
  return {
    ...occurrenceOf(outcome),
    fingerprint: fingerprintOf(['request', status, code, method, route, ...marks]),
    level: 'ERROR',
    message: described?.message ?? `${method} ${route} failed with status ${status}.`,
    route,
    stack: described?.stack,
  };
}

/**
 * Groups rejections by status and caller. All users share an error record, as do all operators, because the record
 * contains their ids. Each partner and each address has a separate record, because a record contains neither the source
 * nor the address.
 */
function refusalOf(outcome: Outcome): NotedError {
  const { tenantId = '', userId, sourceId, ip } = outcome;
  const noted = (of: readonly string[], message: string): NotedError => ({
    ...occurrenceOf(outcome),
    fingerprint: fingerprintOf(['refusal', outcome.status, ...of]),
    level: 'WARN',
    message,
    route: outcome.route,
  });
  if (userId !== undefined)
    return tenantId === PLATFORM_TENANT
      ? noted(['operators'], 'Requests from operators are rejected repeatedly.')
      : noted(['users'], 'Requests from users are rejected repeatedly.');
  if (sourceId !== undefined)
    return noted(['partner', tenantId, sourceId], `Requests from the partner ${sourceId} are rejected repeatedly.`);
  const network = clientNetwork(ip);
  return noted(['address', network], `Requests from the address ${network} are rejected repeatedly.`);
}
