import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import {
  Credentials,
  emailClaim,
  ensureHasFactors,
  FactorsRemoval,
  FullName,
  identityClaim,
  isSameIdentity,
  newPassword,
  noSessions,
  OidcIdentity,
  type OwnPassword,
  PasswordChange,
  recordedPasswordHash,
  type SessionRule,
  wrongPassword,
} from './credentials.js';
import { changesTo, Email, someOf } from './fields.js';
import { record, text, type ChangesTo } from './record.js';

export const operatorRecord = record({
  fullName: text(FullName, { personal: true, searched: true }),
  email: text(Email, { fixed: true, personal: true, searched: true, shown: z.string().meta({ format: 'email' }) }),
});
export const CreateOperator = Credentials.meta({ id: 'CreateOperatorDto' });
export type CreateOperator = z.output<typeof CreateOperator>;

/** Fields of their own accounts that operators may change. */
export type UpdateOperator = { readonly fullName?: string };

const OperatorCreated = z.object({ ...operatorRecord.stored, passwordHash: recordedPasswordHash });
export type NewOperator = z.output<typeof OperatorCreated>;

export const operatorEvents = {
  OperatorCreated: domain('CREATE', 'operator', OperatorCreated),
  OperatorUpdated: domain('UPDATE', 'operator', z.object({ changes: someOf(operatorRecord.changes) })),
  OperatorPasswordChanged: domain('UPDATE', 'operator', PasswordChange),
  OperatorFactorsRemoved: domain('UPDATE', 'operator', FactorsRemoval),
  OperatorIdentityLinked: domain('UPDATE', 'operator', OidcIdentity),
  OperatorDeleted: domain('DELETE', 'operator', z.object({})),
};
export type OperatorEvent = EventOf<typeof operatorEvents>;

export type Operator =
  | { status: 'absent' }
  | ({
      status: 'active' | 'deleted';
      identity: OidcIdentity | null;
      /** Stored in the state only for the audit log. */
      factorRemovalReason: string | null;
    } & NewOperator &
      SessionRule);

export const operator: Aggregate<Operator, OperatorEvent> = {
  name: 'operator',
  events: operatorEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'OperatorCreated')
      return {
        ...{ status: 'active', epoch: 0, keptSessionId: null, identity: null, factorRemovalReason: null },
        ...event.data,
      };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'OperatorUpdated':
        return { ...state, ...event.data.changes };
      case 'OperatorPasswordChanged':
        return { ...state, ...newPassword(state, event.data) };
      case 'OperatorFactorsRemoved':
        return { ...state, factorRemovalReason: event.data.reason, ...noSessions(state) };
      case 'OperatorIdentityLinked':
        return { ...state, identity: event.data };
      case 'OperatorDeleted':
        return { ...state, status: 'deleted', ...noSessions(state) };
    }
  },
  claims: (state) =>
    state.status === 'active'
      ? [emailClaim(state.email), ...(state.identity ? [identityClaim(state.identity)] : [])]
      : [],
  memberships: [
    {
      of: (state) => ({ keeps: state.status === 'active', uses: [] }),
      staysWhile: 'last',
      refusal: {
        code: 'LAST_OPERATOR',
        message: 'The platform must have at least one operator. Create another operator first.',
      },
    },
  ],
};

function present(state: Operator) {
  if (state.status !== 'active') throw notFound('operator');
  return state;
}

export const createOperator = (state: Operator, data: NewOperator): OperatorEvent[] =>
  state.status === 'absent' ? [{ type: 'OperatorCreated', data }] : [];

export function updateOperator(state: Operator, patch: UpdateOperator): OperatorEvent[] {
  const changes = changesTo<ChangesTo<typeof operatorRecord>>(present(state), patch);
  return changes ? [{ type: 'OperatorUpdated', data: { changes } }] : [];
}

/** @throws DomainError invalid if the account has changed since the current password was verified */
export function changeOwnOperatorPassword(state: Operator, { epoch, ...change }: OwnPassword): OperatorEvent[] {
  if (state.status === 'active' && state.passwordHash === change.passwordHash) return [];
  if (state.status !== 'active' || state.epoch !== epoch) throw wrongPassword();
  return [{ type: 'OperatorPasswordChanged', data: change }];
}

/** Ends all of the operator's sessions. @throws DomainError conflict NO_FACTORS */
export function removeOperatorFactors(state: Operator, removal: FactorsRemoval): OperatorEvent[] {
  present(state);
  ensureHasFactors(removal);
  return [{ type: 'OperatorFactorsRemoved', data: { reason: removal.reason } }];
}

export function deleteOperator(state: Operator): OperatorEvent[] {
  present(state);
  return [{ type: 'OperatorDeleted', data: {} }];
}

/** Binds the identity used for the first sign-in. Returns `[]` if the operator already has an identity. */
export const bindOperatorIdentity = (state: Operator, identity: OidcIdentity): OperatorEvent[] =>
  state.status === 'active' && state.identity === null ? [{ type: 'OperatorIdentityLinked', data: identity }] : [];

export const operatorHasIdentity = (state: Operator, identity: OidcIdentity): boolean =>
  state.status === 'active' && isSameIdentity(state.identity, identity);
