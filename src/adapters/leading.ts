/**
 * Converts the items that precede the first one that `convert` rejects. Even if `convert` rejects an item, the caller
 * must process the converted ones.
 */
export function convertLeading<T, R>(
  items: readonly T[],
  convert: (item: T) => R,
): { readonly converted: R[]; readonly refusal: Error | undefined } {
  const converted: R[] = [];
  for (const item of items) {
    try {
      converted.push(convert(item));
    } catch (error) {
      return { converted, refusal: error as Error };
    }
  }
  return { converted, refusal: undefined };
}
