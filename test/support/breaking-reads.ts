import type { ReadStore } from '../../src/ports/read-store.js';

/** Makes list queries on one model of a real read store fail between `failWith` and `mend`. */
export function breakingLists(reads: ReadStore, model: string) {
  const list = reads.list.bind(reads);
  let failure: (() => Error) | undefined;
  reads.list = (table, scope, query) =>
    failure && table.model.name === model ? Promise.reject(failure()) : list(table, scope, query);
  return {
    failWith: (make: () => Error): void => {
      failure = make;
    },
    mend: (): void => {
      failure = undefined;
    },
  };
}
