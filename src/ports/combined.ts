import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Combines the calls made in one turn of the event loop into one call of `all`, which returns their results in order.
 */
export function combined<A, R>(all: (asked: readonly A[]) => Promise<readonly R[]>): (asked: A) => Promise<R> {
  let open: { readonly asked: A[]; readonly done: Promise<readonly R[]> } | undefined;
  const begin = () => {
    const asked: A[] = [];
    const done = nextTurn().then(() => {
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
