import { FairLimit } from './fair-limit.js';

const EVERY_MS = 10;

/**
 * Polls until `look` returns a value. @throws Error with the text from `told` if `look` does not return a value in time
 */
export async function eventually<T>(
  look: () => Promise<T | false | undefined> | T | false | undefined,
  withinMs: number,
  told: () => string = () => 'nothing more is known',
): Promise<T> {
  const limit = new FairLimit(withinMs);
  while (!limit.isOver) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await limit.pause(EVERY_MS);
  }
  throw new Error(`It never came: ${told()}`);
}
