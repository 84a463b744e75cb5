import type { Browser } from 'playwright-core';
import { ConsoleService, OPERATOR } from '../support/console-service.js';
import { DOOR, OPERATIONS, walk, type Ids } from '../support/console-walk.js';
import { launch, Visitor } from '../support/visitor.js';
import { keepOperations } from '../support/walked-records.js';

let service: ConsoleService;
let browser: Browser;
let ids: Ids;

beforeAll(async () => {
  service = await ConsoleService.start();
  ids = await keepOperations(service);
  browser = await launch();
}, 90_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

test.each(['de', 'en'] as const)(
  'The pages of operators are accessible, fit the screen and speak one language: %s',
  async (language) => {
    const visitor = await Visitor.arrives(browser, service.url, { language });
    const atTheDoor = await walk(visitor, [DOOR], ids);
    await visitor.signIn(OPERATOR);
    expect([...atTheDoor, ...(await walk(visitor, OPERATIONS, ids))]).toEqual([]);
    await visitor.leave();
  },
  240_000,
);
