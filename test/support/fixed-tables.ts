import type { AnyTable } from '../../src/ports/read-store.js';
import type { LiveTables } from '../../src/queries/query.js';

/** Returns read models whose live generations never change. */
export const fixedTables = (tables: readonly AnyTable[]): LiveTables => ({
  tableOf: (name) => tables.find(({ model }) => model.name === name),
  whenKnown: () => undefined,
});
