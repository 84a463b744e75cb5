import type { Change } from './diff-view';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A list of scalars, such as ids, is compared as a whole. */
const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !(Array.isArray(value) && value.length > 0 && !value.some(isObject));

const keysOf = (value: unknown): string[] => (isTree(value) ? Object.keys(value) : []);

const below = (value: unknown, key: string): unknown => (isTree(value) ? value[key] : undefined);

/**
 * Returns the differences between two values by path. A value that is present on only one side is `undefined` on the
 * other.
 */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (Object.is(before, after)) return [];
  const keys = [...new Set([...keysOf(before), ...keysOf(after)])];
  const isLeaf =
    keys.length === 0 || (before !== undefined && !isTree(before)) || (after !== undefined && !isTree(after));
  if (!isLeaf)
    return keys.flatMap((key) =>
      differences(below(before, key), below(after, key), path === '' ? key : `${path}.${key}`),
    );
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}
