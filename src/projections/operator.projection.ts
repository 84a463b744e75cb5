import { operator, operatorRecord } from '../aggregates/operator.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { readModelOf, recordProjection } from './record-projection.js';

export type OperatorView = ViewOf<typeof operatorRecord.fields>;
export const operators = readModelOf(operatorRecord, { name: 'operators', version: 1 });

export const operatorProjection = recordProjection(operators, operator, 'OperatorCreated', {
  OperatorCreated: ({ data: { passwordHash: _, ...facts } }) => facts,
  OperatorUpdated: ({ data }) => data.changes,
  OperatorPasswordChanged: () => ({}),
  OperatorIdentityLinked: () => ({}),
  OperatorDeleted: null,
});
