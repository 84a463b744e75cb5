import type { SessionRule } from '../aggregates/credentials.js';
import { factors } from '../aggregates/factor.aggregate.js';
import { operator } from '../aggregates/operator.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { answers, query } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { CLOCK } from '../ports/time.js';
import { openSessions } from '../projections/user.projection.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { ReadModels } from './query.js';

type Person = UserPrincipal | OperatorPrincipal;

/** Maximum number of sessions in the list. A script that signs in every minute may have thousands of sessions. */
const MAX_LISTED = 100;

/** A second factor as displayed to its owner. */
export type FactorRecord = {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};

/** An open session as displayed to its owner. */
export type SessionRecord = {
  readonly id: string;
  readonly device: string | null;
  readonly address: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly isCurrent: boolean;
};

export class ListFactors extends query<readonly FactorRecord[], [person: Person]>() {}
export class ListSessions extends query<readonly SessionRecord[], [person: Person]>() {}

const tenantIdOf = (person: Person): string => (person.kind === 'user' ? person.tenantId : PLATFORM_TENANT);

/**
 * Returns the data that determines whether a session of the person is still valid. Sessions from earlier epochs are
 * invalid, although they were not ended individually.
 */
async function ruleOf(
  reader: RecordReader,
  person: Person,
): Promise<(SessionRule & { tenantEpoch: number }) | undefined> {
  if (person.kind === 'operator') {
    const { state } = await reader.read(operator, PLATFORM_TENANT, person.userId);
    return state.status === 'absent' ? undefined : { ...state, tenantEpoch: 0 };
  }
  const [{ state }, { state: home }] = await Promise.all([
    reader.read(user, person.tenantId, person.userId),
    reader.read(tenant, PLATFORM_TENANT, person.tenantId),
  ]);
  return state.status === 'absent' || home.status === 'absent' ? undefined : { ...state, tenantEpoch: home.epoch };
}

export const sessionQueryHandlers = [
  // Factors are read from the stream, as at every sign-in.
  answers(ListFactors, [RecordReader], async (reader, person) => {
    const { state } = await reader.read(factors, tenantIdOf(person), person.userId);
    return state.factors.map(({ id, type, addedAt: createdAt, lastUsedAt }) => ({ id, type, createdAt, lastUsedAt }));
  }),
  answers(ListSessions, [ReadModels, RecordReader, CLOCK], async (models, reader, clock, person) => {
    const { userId, sessionId } = person;
    const rule = await ruleOf(reader, person);
    const now = new Date(clock.nowMs()).toISOString();
    const matching = { where: { userId }, between: { expiresAt: { from: now } }, reverse: true };
    const sessions = await models.first(openSessions, PLATFORM, MAX_LISTED, matching);
    return sessions
      .filter(({ id, userEpoch, tenantEpoch }) => {
        if (!rule || tenantEpoch !== rule.tenantEpoch) return false;
        return userEpoch === rule.epoch || id === rule.keptSessionId;
      })
      .sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1))
      .map(({ id, device, address, startedAt: createdAt, lastUsedAt, expiresAt }) => ({
        ...{ id, device, address, createdAt, lastUsedAt, expiresAt },
        isCurrent: id === sessionId,
      }));
  }),
];
