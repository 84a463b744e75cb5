import type { Browser, Locator, Page } from 'playwright-core';
import { ConsoleService, type Shop } from './console-service.js';
import { launch, Visitor, type Look } from './visitor.js';

type Furniture = { readonly service: ConsoleService; readonly shop: Shop };
/** Setup of a console suite: one service with one shop, and a new visitor for each test. */
export type Stage = Furniture & { readonly visitor: Visitor; readonly page: Page };

/**
 * Registers the setup and teardown of a suite, and passes the stage to each test. A test fails if the browser of its
 * visitor has reported problems. Returns a function that replaces the current visitor with a new one.
 */
export function onStage(
  handOver: (stage: Stage) => void,
  furnish: (furniture: Furniture) => Promise<void> = () => Promise.resolve(),
  settings: Readonly<Record<string, string>> = {},
): (look?: Look) => Promise<void> {
  let furniture: Furniture;
  let browser: Browser;
  let visitor: Visitor;
  const arrive = async (look?: Look): Promise<void> => {
    visitor = await Visitor.arrives(browser, furniture.service.url, look);
    handOver({ ...furniture, visitor, page: visitor.page });
  };
  beforeAll(async () => {
    const service = await ConsoleService.start(settings);
    furniture = { service, shop: await service.openShop() };
    await furnish(furniture);
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await furniture.service.close();
  });

  beforeEach(() => arrive());
  afterEach(async () => {
    await visitor.leave();
    expect(visitor.complaints).toEqual([]);
  });
  return async (look) => {
    await visitor.leave();
    expect(visitor.complaints).toEqual([]);
    await arrive(look);
  };
}

type Handles = {
  readonly button: (name: string) => Locator;
  readonly dialog: () => Locator;
  readonly row: (text: string) => Locator;
  readonly title: (name: string) => Locator;
};

/** Returns shorthand functions for common locators on the current page. */
export const handlesOf = (page: () => Page): Handles => ({
  button: (name) => page().getByRole('button', { name, exact: true }),
  dialog: () => page().getByRole('dialog'),
  row: (text) => page().getByRole('row').filter({ hasText: text }),
  title: (name) => page().getByRole('heading', { level: 1, name, exact: true }),
});
