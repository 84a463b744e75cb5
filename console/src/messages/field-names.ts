/** English names of fields whose names in the code do not say enough. `name[]` is an item of a list. */
const ENGLISH: Readonly<Record<string, string>> = {
  amountMax: 'Maximum amount',
  amountMin: 'Minimum amount',
  at: 'Time',
  auth: 'Authentication key',
  awaits: 'Waits for',
  categorizedBy: 'Category set by',
  correlationId: 'Correlation ID',
  dateFrom: 'From',
  dateTo: 'To',
  disabledReason: 'Reason for disabling',
  discardReason: 'Reason for discarding',
  durationMs: 'Duration in milliseconds',
  email: 'E-mail',
  entity: 'Kind of record',
  eventRevision: 'Revision of the event',
  expenseItemId: 'Expense account',
  externalId: "Partner's number",
  hasFactor: 'Second factor',
  id: 'ID',
  isAwaited: 'Awaited by other documents',
  isChosen: 'Chosen by a user',
  isSeeded: 'Set up',
  isSystem: 'Built-in',
  logged: 'Log entry',
  manual: 'Manual runs',
  'manual[]': 'Manual run',
  nationalId: 'National ID',
  oidcDomains: 'SSO domains',
  openingCategorizedBy: 'Category of the opening balance set by',
  ownerUserId: 'First owner',
  p256dh: 'Public key',
  parentId: 'Parent category',
  previousId: 'Previous account',
  readIds: 'Read notifications',
  relatedExternalId: 'Number of the original sale',
  requestId: 'Request ID',
  requestIds: 'Request IDs',
  requireFactor: 'Second factor required',
  role: 'Access',
  sha256: 'SHA-256',
  sizeBytes: 'Size in bytes',
  sku: 'SKU',
  sourceId: "Partner's system",
  spent: 'Used codes',
  'spent[]': 'Used code',
  stack: 'Stack trace',
  systemGenerated: 'Automatic',
  totalNet: 'Net total',
  totalTax: 'Tax total',
  url: 'URL',
};

/** Returns the plural of an English noun, or its singular. Covers the nouns in the names of fields. */
const pluralOf = (noun: string): string => noun.replace(/y$/, 'ie').replace(/(ch|sh|s|x)$/, '$1e') + 's';
const singularOf = (noun: string): string =>
  noun
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|ss|x)es$/, '$1')
    .replace(/([^s])s$/, '$1');

/** Derives an English name from a name in the code: `isCancelled` is "Cancelled", and `branchIds` are "Branches". */
function derived(code: string): string {
  if (code.endsWith('[]')) return singularOf(englishOf(code.slice(0, -2)));
  const noun = code
    .replace(/^is(?=[A-Z])/, '')
    .replace(/(?<=.)Ids?$/, (ending) => (ending === 'Ids' ? '*' : ''))
    .replace(/^(.*)\*$/, (_, one: string) => pluralOf(one));
  const words = noun.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const englishOf = (code: string): string => ENGLISH[code] ?? derived(code);

/** Matches names of fields. A record may also list its parts by code or by id. */
const NAME = /^[a-z][A-Za-z0-9]*$/;
const SEPARATOR = ' › ';

/**
 * Returns a field path in words, with the number of each list item: `lines[0].quantity` is "Line 1 › Quantity". `wordsOf`
 * returns the words for the name of a field or, with the suffix `[]`, for an item of a list.
 */
export function pathWords(path: string, wordsOf: (code: string) => string): string {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '');
  return parts
    .flatMap((part, index) => {
      const next = parts[index + 1] ?? '';
      if (/^\d+$/.test(part) && index > 0) return [];
      if (!NAME.test(part)) return [part];
      return [/^\d+$/.test(next) ? `${wordsOf(`${part}[]`)} ${Number(next) + 1}` : wordsOf(part)];
    })
    .join(SEPARATOR);
}
