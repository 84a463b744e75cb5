import { BOOKS } from '../support/console-walk.js';
import { walkSuite } from '../support/walk-suite.js';
import { keepBooks } from '../support/walked-records.js';

walkSuite('the books', {
  keep: async (service) => {
    const { shop, ids } = await keepBooks(service);
    return { person: shop.owner, ids };
  },
  stops: BOOKS,
});
