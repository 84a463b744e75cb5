import { operatorRecord } from '../aggregates/operator.aggregate.js';
import { RemoveOperatorFactors } from '../commands/factor-removal.commands.js';
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
    'Remove an operator',
    { method: 'DELETE', path: '/:id', description: 'The last operator cannot be removed.' },
    DeleteOperator,
  ),
  routes.change(
    "Remove all second factors from another operator and end the operator's sessions",
    {
      path: '/:id/remove-factors',
      description:
        'Use this for an operator who has lost all factors and recovery codes. The operator then signs in with only ' +
        'the password. To remove your own factors, use DELETE /api/auth/factors/{id}.',
      stepUp: true,
    },
    RemoveOperatorFactors,
  ),
);
