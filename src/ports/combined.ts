/**
 * Collects the calls made until `turn` resolves, and then calls `all` once to get their results in order. For example,
 * `turn` may resolve at the end of the current event-loop turn.
 */
export function combined<A, R>(
  turn: () => Promise<unknown>,
  all: (asked: readonly A[]) => Promise<readonly R[]>,
): (asked: A) => Promise<R> {
  let open: { readonly asked: A[]; readonly done: Promise<readonly R[]> } | undefined;
  const begin = () => {
    const asked: A[] = [];
    const done = turn().then(() => {
      open = undefined;
      return all(asked);
    });
    return { asked, done };
  };
  return async (one) => {
    open ??= begin();
    const { asked, done } = open;
    const at = asked.push(one) - 1;
    return (await done)[at] as R;
  };
}
