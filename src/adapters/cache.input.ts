/**
 * Maximum key length. Entries with longer keys are not stored, because `clear` matches its pattern against every key.
 */
export const MAX_KEY_LENGTH = 512;

/** @throws RangeError */
export function requireHits(by: number): void {
  if (!Number.isSafeInteger(by) || by === 0) throw new RangeError(`by must be a whole number other than 0, not ${by}.`);
}

/** @throws RangeError */
export function requireDuration(name: string, ms: number): void {
  if (!Number.isSafeInteger(ms) || ms <= 0) throw new RangeError(`${name} must be a positive whole number, not ${ms}.`);
}
