import { z } from 'zod';
import { RuleSource } from './category-rule.aggregate.js';

/** The rule that gave a transaction its category. */
export const CategorizedBy = z.object({ ruleId: z.string(), source: RuleSource });
export type CategorizedBy = z.output<typeof CategorizedBy>;

/** The rules that gave categories to the transactions of an event, by the transactions' ids. */
export const CategorizedBys = z.record(z.string(), CategorizedBy);
export type CategorizedBys = z.output<typeof CategorizedBys>;
