import type { Browser } from 'playwright-core';
import { ConsoleService } from './console-service.js';
import { walk, type Ids, type Stop } from './console-walk.js';
import { launch, Visitor } from './visitor.js';

type Person = { readonly email: string; readonly password: string };
type Kept = { readonly person: Person; readonly ids: Ids };

/**
 * Declares a suite that visits a set of console pages in each language. Suites with different pages run in parallel.
 */
export function walkSuite(
  what: string,
  {
    keep,
    before = [],
    stops,
  }: {
    /** Creates the records. Returns their ids, and the user who visits the pages. */
    readonly keep: (service: ConsoleService) => Promise<Kept>;
    /** Pages to visit before signing in. */
    readonly before?: readonly Stop[];
    readonly stops: readonly Stop[];
  },
): void {
  let service: ConsoleService;
  let browser: Browser;
  let kept: Kept;

  beforeAll(async () => {
    service = await ConsoleService.start();
    kept = await keep(service);
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  test.each(['de', 'en'] as const)(
    `The pages of ${what} are accessible, fit the screen and speak one language: %s`,
    async (language) => {
      const { person, ids } = kept;
      const visitor = await Visitor.arrives(browser, service.url, { language });
      const found = await walk(visitor, before, ids);
      await visitor.signIn(person);
      expect([...found, ...(await walk(visitor, stops, ids))]).toEqual([]);
      await visitor.leave();
    },
    240_000,
  );
}
