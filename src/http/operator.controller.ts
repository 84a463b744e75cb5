import { operatorRecord } from '../aggregates/operator.aggregate.js';
import { CreateOperator, DeleteOperator } from '../commands/user.commands.js';
import { ListOperators } from '../queries/user.queries.js';
import { optionalPaging } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, routesAt } from './routes.js';

const OperatorDto = recordDto('OperatorDto', operatorRecord);
const listQuery = listQueryOf(operatorRecord, optionalPaging);

const routes = routesAt('/api/platform/operators', { who: 'platform', tag: 'Platform Operators' });

export const OperatorController = controllerOf(
  routes.change('Create an operator', { creates: { passwordsIn: ['password'] }, stepUp: true }, CreateOperator),
  routes.list('List operators, newest first', listQuery, OperatorDto, ListOperators),
  routes.change(
    'Remove an operator; the last one cannot be removed',
    { method: 'DELETE', path: '/:id' },
    DeleteOperator,
  ),
);
