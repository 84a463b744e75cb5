import { z } from 'zod';
import { RuleSource } from './category-rule.aggregate.js';

export const CategorizedBy = z.object({ ruleId: z.string(), source: RuleSource });
export type CategorizedBy = z.output<typeof CategorizedBy>;

/** The rules that assigned the categories, by transaction id. */
export const CategorizedBys = z.record(z.string(), CategorizedBy);
export type CategorizedBys = z.output<typeof CategorizedBys>;
