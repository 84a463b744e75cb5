import fc from 'fast-check';
import { Bookkeeper } from './bookkeeper.js';
import { someSteps, type Step } from './bookkeeping-steps.js';
import type { Currency } from './naive-money.js';
import type { TestService } from './service.js';

export const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
const endOnFailure = process.env['SHRINK'] !== 'true';

type Scale = {
  readonly runs: number;
  readonly steps: number;
  /** Time limit per step. */
  readonly stepMs: number;
};

/**
 * Tests random bookkeeping in tenants with three different currencies. In `title`, %s is replaced by the currency. RUNS
 * and STEPS lengthen the test. SEED reproduces an earlier run. SHRINK=true minimizes a failing sequence before
 * reporting it. A failure prints all requests.
 */
export function bookkeepingProperty(
  title: string,
  usual: Scale,
  service: () => TestService,
  keepBooks: (keeper: Bookkeeper, steps: readonly Step[]) => Promise<void>,
): void {
  const runs = Number(process.env['RUNS'] ?? usual.runs);
  const steps = Number(process.env['STEPS'] ?? usual.steps);
  const keep = async (currency: Currency, some: readonly Step[]): Promise<void> => {
    const keeper = await Bookkeeper.open(service(), currency);
    try {
      await keepBooks(keeper, some);
    } catch (error) {
      process.stdout.write(`${currency}, SEED=${seed}\n${keeper.log.join('\n')}\n`);
      throw error;
    }
  };
  test.each<[Currency, number]>([
    ['EUR', seed],
    ['JPY', seed + 1],
    ['KWD', seed + 2],
  ])(
    `${title} (property, seed %i)`,
    async (currency, own) => {
      await fc.assert(
        fc.asyncProperty(someSteps(steps / 2, steps), (some) => keep(currency, some)),
        { numRuns: runs, seed: own, endOnFailure },
      );
    },
    runs * steps * usual.stepMs,
  );
}
