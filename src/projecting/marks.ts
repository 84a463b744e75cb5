import type { ReadStore } from '../ports/read-store.js';
import { subscriberKey } from './checkpoints.js';
import { token } from '../ports/token.js';

/** Nest injection token of `Marks`. */
export const MARKS = token<Marks>('MARKS');

/** Durable named positions and counts. A value that was never saved is −1. Values never decrease. */
export type Marks = {
  load(name: string): Promise<number>;
  /** Saves either all of the marks or none. */
  save(marks: Readonly<Record<string, number>>): Promise<void>;
};

/** Stores marks alongside the read models. */
export const marksIn = (store: ReadStore): Marks => ({
  load: (name) => store.checkpoint(subscriberKey(name)),
  save: async (marks) => {
    const checkpoints = Object.entries(marks).map(([name, position]) => ({ key: subscriberKey(name), position }));
    await store.write({ tables: [], checkpoints });
  },
});
