import type { Browser } from 'playwright-core';
import { ConsoleService, type Shop } from '../support/console-service.js';
import { SETTINGS, walk, type Ids } from '../support/console-walk.js';
import { launch, Visitor } from '../support/visitor.js';
import { keepSettings } from '../support/walked-records.js';

let service: ConsoleService;
let browser: Browser;
let shop: Shop;
let ids: Ids;

beforeAll(async () => {
  service = await ConsoleService.start();
  ({ shop, ids } = await keepSettings(service));
  browser = await launch();
}, 90_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

test.each(['de', 'en'] as const)(
  'The pages of settings are accessible, fit the screen and speak one language: %s',
  async (language) => {
    const visitor = await Visitor.arrives(browser, service.url, { language });
    await visitor.signIn(shop.owner);
    expect(await walk(visitor, SETTINGS, ids)).toEqual([]);
    await visitor.leave();
  },
  240_000,
);
