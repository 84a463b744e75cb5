const MAX_JSON_LENGTH = 16_384;
export const MAX_JSON_DEPTH = 8;

// Reserved names: copies omit `__proto__`, and `toJSON` changes an object's serialization and therefore its canonical
// form.
const reserved = new Set(['__proto__', 'toJSON']);

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  return Object.entries(value).every(([name, member]) => !reserved.has(name) && isShallow(member, depth - 1));
}

/**
 * Whether a JSON value may be stored. Limits its depth and serialized length, requires finite numbers, and forbids
 * reserved names.
 */
export const boundedJson = (value: object): boolean =>
  isShallow(value, MAX_JSON_DEPTH) && JSON.stringify(value).length <= MAX_JSON_LENGTH;
