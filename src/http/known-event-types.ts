import { contracts, typeOf } from '../integration/contracts.js';
import { compileGlob } from '../ports/glob-pattern.js';

const types = contracts.map(typeOf);

/** Whether each glob matches the type of at least one integration event. */
export const areKnown = (globs: readonly string[]): boolean => globs.every((glob) => types.some(compileGlob(glob)));

/** Parameters of a refinement with `areKnown`. The refinement is skipped if the input has other faults. */
export const unknownType = {
  error: 'Every entry must match the type of an integration event.',
  when: ({ issues }: { readonly issues: readonly unknown[] }): boolean => issues.length === 0,
};
