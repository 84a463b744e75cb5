import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { Credentials, emailClaim, recordedEmail, recordedName, recordedPasswordHash } from './credentials.js';

export const CreateOperator = Credentials.meta({ id: 'CreateOperatorDto' });
export type CreateOperator = z.output<typeof CreateOperator>;

const OperatorCreated = z.object({ fullName: recordedName, email: recordedEmail, passwordHash: recordedPasswordHash });
export type NewOperator = z.output<typeof OperatorCreated>;

export const operatorEvents = {
  OperatorCreated: domain('CREATE', 'operator', OperatorCreated),
  OperatorPasswordChanged: domain('UPDATE', 'operator', z.object({ passwordHash: recordedPasswordHash })),
  OperatorDeleted: domain('DELETE', 'operator', z.object({})),
};
export type OperatorEvent = EventOf<typeof operatorEvents>;

export type Operator = { status: 'absent' } | ({ status: 'active' | 'deleted' } & NewOperator);

export const operator: Aggregate<Operator, OperatorEvent> = {
  name: 'operator',
  events: operatorEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'OperatorCreated') return { status: 'active', ...event.data };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'OperatorPasswordChanged':
        return { ...state, passwordHash: event.data.passwordHash };
      case 'OperatorDeleted':
        return { ...state, status: 'deleted' };
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

export function changeOperatorPassword(state: Operator, { passwordHash }: { passwordHash: string }): OperatorEvent[] {
  if (present(state).passwordHash === passwordHash) return [];
  return [{ type: 'OperatorPasswordChanged', data: { passwordHash } }];
}

export function deleteOperator(state: Operator): OperatorEvent[] {
  present(state);
  return [{ type: 'OperatorDeleted', data: {} }];
}
