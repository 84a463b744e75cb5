import { OPERATOR } from '../support/console-service.js';
import { DOOR, OPERATIONS } from '../support/console-walk.js';
import { walkSuite } from '../support/walk-suite.js';
import { keepOperations } from '../support/walked-records.js';

walkSuite('operators', {
  keep: async (service) => ({ person: OPERATOR, ids: await keepOperations(service) }),
  before: [DOOR],
  stops: OPERATIONS,
});
