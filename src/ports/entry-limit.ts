/**
 * Limits an LRUCache to a number of entries. With the option `max`, the cache would allocate memory for all entries when
 * it is created.
 */
export const atMost = (maxEntries: number) => ({ maxSize: maxEntries, sizeCalculation: () => 1 });
