import { SETTINGS } from '../support/console-walk.js';
import { walkSuite } from '../support/walk-suite.js';
import { keepSettings } from '../support/walked-records.js';

walkSuite('settings', {
  keep: async (service) => {
    const { shop, ids } = await keepSettings(service);
    return { person: shop.owner, ids };
  },
  stops: SETTINGS,
});
