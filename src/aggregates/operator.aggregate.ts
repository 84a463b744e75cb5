import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { notFound } from '../platform/domain-error.js';
import {
  Credentials,
  emailClaim,
  newPassword,
  noSessions,
  PasswordChange,
  recordedEmail,
  recordedName,
  recordedPasswordHash,
  wrongPassword,
  type OwnPassword,
  type SessionRule,
} from './credentials.js';
import { changesTo, someOf } from './fields.js';

export const CreateOperator = Credentials.meta({ id: 'CreateOperatorDto' });
export type CreateOperator = z.output<typeof CreateOperator>;

/** What operators may change of themselves. */
export type UpdateOperator = { readonly fullName?: string };

const OperatorCreated = z.object({ fullName: recordedName, email: recordedEmail, passwordHash: recordedPasswordHash });
export type NewOperator = z.output<typeof OperatorCreated>;

export const operatorEvents = {
  OperatorCreated: domain('CREATE', 'operator', OperatorCreated),
  OperatorUpdated: domain('UPDATE', 'operator', z.object({ changes: someOf({ fullName: recordedName }) })),
  OperatorPasswordChanged: domain('UPDATE', 'operator', PasswordChange),
  OperatorDeleted: domain('DELETE', 'operator', z.object({})),
};
export type OperatorEvent = EventOf<typeof operatorEvents>;

export type Operator = { status: 'absent' } | ({ status: 'active' | 'deleted' } & NewOperator & SessionRule);

export const operator: Aggregate<Operator, OperatorEvent> = {
  name: 'operator',
  events: operatorEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'OperatorCreated') return { status: 'active', epoch: 0, keptSessionId: null, ...event.data };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'OperatorUpdated':
        return { ...state, ...event.data.changes };
      case 'OperatorPasswordChanged':
        return { ...state, ...newPassword(state, event.data) };
      case 'OperatorDeleted':
        return { ...state, status: 'deleted', ...noSessions(state) };
    }
  },
  claims: (state) => (state.status === 'active' ? [emailClaim(state.email)] : []),
  membership: {
    of: (state) => ({ keeps: state.status === 'active', uses: [] }),
    staysWhile: 'last',
    refusal: { code: 'LAST_OPERATOR', message: 'The platform must keep an operator.' },
  },
};

function present(state: Operator) {
  if (state.status !== 'active') throw notFound('operator');
  return state;
}

export const createOperator = (state: Operator, data: NewOperator): OperatorEvent[] =>
  state.status === 'absent' ? [{ type: 'OperatorCreated', data }] : [];

export function updateOperator(state: Operator, patch: UpdateOperator): OperatorEvent[] {
  const changes = changesTo<{ fullName: string }>(present(state), patch);
  return changes ? [{ type: 'OperatorUpdated', data: { changes } }] : [];
}

/** @throws DomainError invalid when the account is not as it was when the current password was checked */
export function changeOwnOperatorPassword(state: Operator, { epoch, ...change }: OwnPassword): OperatorEvent[] {
  if (state.status === 'active' && state.passwordHash === change.passwordHash) return [];
  if (state.status !== 'active' || state.epoch !== epoch) throw wrongPassword();
  return [{ type: 'OperatorPasswordChanged', data: change }];
}

export function deleteOperator(state: Operator): OperatorEvent[] {
  present(state);
  return [{ type: 'OperatorDeleted', data: {} }];
}
