import { SalePayload } from '../../src/aggregates/sale-payload.js';
import { LoginInput } from '../../src/commands/session.commands.js';
import { bodyLimitsOf, decodeJson, decodingSteps } from '../../src/http/json-body.js';
import { costliest, type Costly } from '../support/body-shapes.js';
import { BATCH_BYTES } from '../support/maximal-batch.js';

/** `SHAPES=10000 npm run jest -- test/http/body-cost.test.ts` runs the long form. */
const SHAPES = Number(process.env['SHAPES'] ?? 300);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

function told({ ms, shape }: Costly): number {
  process.stdout.write(`seed ${SEED}: ${ms.toFixed(2)} ms for ${shape.slice(0, 60)}… (${shape.length})\n`);
  return ms;
}

describe(`The time that a body blocks the serving thread (seed ${SEED})`, () => {
  test('is below 3 ms for anonymous clients', () => {
    const { bytes, values } = bodyLimitsOf({ who: 'public' });
    const worst = costliest(SEED, SHAPES, bytes, function* (body) {
      yield LoginInput.safeParse(decodeJson(body, values));
    });
    expect(told(worst)).toBeLessThan(3);
  });

  test('is below 50 ms for the largest partner body', () => {
    const { bytes, values } = bodyLimitsOf({ who: 'partner', maxValues: 16_384 });
    const worst = costliest(SEED, SHAPES, bytes, function* (body) {
      yield SalePayload.safeParse(decodeJson(body, values));
    });
    expect(told(worst)).toBeLessThan(50);
  }, 1_800_000);

  test('is below 100 ms for each step of decoding the largest batch', () => {
    const { bytes, values } = bodyLimitsOf({ who: 'partner', maxBytes: BATCH_BYTES, maxValues: 131_072 });
    const worst = costliest(SEED, SHAPES / 3, bytes, (body) => decodingSteps(body, values));
    expect(told(worst)).toBeLessThan(100);
  }, 1_800_000);
});
