/**
 * Limits an LRUCache to a number of entries. With the `max` option, the cache would allocate memory for all entries on
 * creation.
 */
export const atMost = (maxEntries: number) => ({ maxSize: maxEntries, sizeCalculation: () => 1 });
