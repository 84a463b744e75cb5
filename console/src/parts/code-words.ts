import { FACTOR_TYPES } from '../api/factors';
import { ACCOUNT_TYPES } from './account-form';
import { directionWords } from './category-form';
import { CUSTOMER_TYPES } from './customer-form';
import { CUSTOMER_STATUSES } from './customer-status';
import { LETTER_STATUSES, ORIGINS } from './dead-letter-words';
import { ERROR_LEVELS } from './error-words';
import { MATCH_TYPES, SOURCES } from './rule-words';
import { PAYMENT_METHODS, SALE_STATUSES, SALE_TYPES } from './sale-words';
import { DIRECTIONS, TYPES } from './transaction-words';

type Names = ReadonlyMap<string, string>;
const namesIn = (...pairs: readonly (readonly [code: string, words: string])[]): Names => new Map(pairs);

/** Names of codes, by field. A code of a field has the same name in all records. */
const CODES: ReadonlyMap<string, Names> = new Map([
  ['type', namesIn(...ACCOUNT_TYPES, ...CUSTOMER_TYPES, ...SALE_TYPES, ...TYPES, ...FACTOR_TYPES)],
  ['documentEffect', namesIn(...TYPES)],
  ['direction', namesIn(...DIRECTIONS, ['BOTH', directionWords('BOTH')])],
  ['status', namesIn(...CUSTOMER_STATUSES, ...SALE_STATUSES, ...LETTER_STATUSES)],
  ['method', namesIn(...PAYMENT_METHODS)],
  ['matchType', namesIn(...MATCH_TYPES)],
  ['source', namesIn(...SOURCES)],
  ['origin', namesIn(...Object.entries(ORIGINS))],
  ['level', namesIn(...ERROR_LEVELS)],
]);

/** Returns the name of a code in a field. Other values, such as names and unknown codes, are returned unchanged. */
export const codeWords = (field: string, value: string): string => CODES.get(field)?.get(value) ?? value;
