import { BOOK_VALUES } from './values-of-books.js';
import { OPERATION_VALUES } from './values-of-operation.js';
import { RECORD_VALUES } from './values-of-records.js';

/**
 * Values of response fields in the API document. A key is a field name, or `Schema.field` if the field means something
 * else in that schema. If there are several values, the first one that the field's schema accepts is used.
 */
export const SAMPLE_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  ...RECORD_VALUES,
  ...BOOK_VALUES,
  ...OPERATION_VALUES,
};

/** Optional response fields that occur only in special cases, and therefore in no example. */
export const RARE: ReadonlySet<string> = new Set([
  'totalIsCapped',
  'TransactionDto.postings.description',
  'SaleBatchAnswerDto.differs',
]);
