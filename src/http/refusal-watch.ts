import { LRUCache } from 'lru-cache';
import { clientNetwork } from '../platform/client-network.js';
import type { NotedError } from '../platform/counted-error.js';
import { fingerprintOf } from '../platform/error-description.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import type { Clock } from '../ports/time.js';
import type { Outcome } from './kernel.js';

const STATUSES = [401, 403, 429];
const MANY = 10;
const WITHIN_MS = 60_000;
/** Beyond these whoever was refused longest ago begins anew. */
const MAX_WATCHED = 2_000;

/** Who was refused: times of the last ten refusals (monotonic), and those of them that are not noted. */
type Watched = { readonly times: number[]; unnoted: { readonly atMs: number; readonly outcome: Outcome }[] };

/**
 * Tells of principals, and of addresses without one, that are refused ten times within a minute: each refusal that belongs
 * to such a minute is noted, and no other. Memory is bounded.
 */
export class RefusalWatch {
  private readonly watched = new LRUCache<string, Watched>({ max: MAX_WATCHED });

  constructor(
    private readonly note: (noted: NotedError) => void,
    private readonly clock: Clock,
  ) {}

  observe(outcome: Outcome): void {
    if (!STATUSES.includes(outcome.status)) return;
    const who = whoOf(outcome);
    const watched = this.watched.get(who) ?? { times: [], unnoted: [] };
    this.watched.set(who, watched);
    const atMs = this.clock.monotonicMs();
    watched.times.push(atMs);
    if (watched.times.length > MANY) watched.times.shift();
    watched.unnoted = [...watched.unnoted.filter((one) => atMs - one.atMs < WITHIN_MS), { atMs, outcome }];
    const [first = atMs] = watched.times;
    if (watched.times.length < MANY || atMs - first >= WITHIN_MS) return;
    for (const one of watched.unnoted) this.note(refusalOf(who, one.outcome));
    watched.unnoted = [];
  }
}

/** Where a request's record says that it happened. */
export const placeOf = ({ requestId, path, tenantId, branchId, userId }: Outcome) => ({
  requestId,
  path,
  tenantId,
  branchId,
  userId,
});

function whoOf({ tenantId = '', userId, sourceId, ip }: Outcome): string {
  if (userId !== undefined) return tenantId === PLATFORM_TENANT ? `operator ${userId}` : `user ${userId}`;
  return sourceId === undefined ? `address ${clientNetwork(ip)}` : `partner ${sourceId} of ${tenantId}`;
}

function refusalOf(who: string, outcome: Outcome): NotedError {
  const { status, code, method, route } = outcome;
  return {
    fingerprint: fingerprintOf(['refusal', status, who]),
    level: 'WARN',
    message: `The ${who} is refused again and again.`,
    code: code ?? null,
    statusCode: status,
    method,
    route,
    ...placeOf(outcome),
  };
}
