/**
 * Field names and values that `pack` replaces with their numbers in this list. Stored text contains these numbers, so
 * words may only be added at the end. Adding words requires a new schema version for both files, because earlier
 * releases do not know the new words.
 */
export const WORDS: readonly string[] = `
accountId amount sourceId externalId id tenantId requestId branchId
occurredAt currency revision type customerId timestamp version commandId
$correlationId entity carrier date description tax saleId net
direction userId position actor action entityId summary eventType
ipAddress userAgent createdAt updatedAt categoryId ip lines keyId
branchCode total totalNet totalTax taxes rate documentEffect counterAccountId
expenseItemId reference systemGenerated reversalOf postings system $causationId expiresAt
status fieldHashes claimedAt customer sku quantity unitPrice discount
taxRate gross payments relatedExternalId metadata acceptedAt isBooked transactions
sequence isCancelled reversedBy reason correctionOf correctedBy categorizedBy isChosen
createdBy recordId transactionIds end level index hashes name
notes merchant keyword matchType amountMin amountMax source priority
isEnabled isSystem attemptId atMs owner kind ownerRevision color
icon parentId isActive code isArchived isDefault email isDeleted
pattern since sessionId phone role address debit credit
startedAt fullName userEpoch tenantEpoch operatorId size subject change
uses passwordHash rateLimit usedAt recordedAt note rootHash signedAt
quarters lastUsedAt refreshTokenHash slug timeZone roleIds branchIds taxNumber
taxOffice nationalId city country taxed stays from to
sweepCount sweeps reads device lastLoginAt statusCode data stream
instant closedThrough webhookId messageId lastAttemptAt nextAttemptAt responseStatus responseBody
transactionId permissions roles title link body userName password
endpoint origin state error jobName filter perSecond search
count resolvedAt resolvedBy errors rejection head totals relatedSaleId
secret method path url accountCode customerName categoryName rule
ruleId balance progress history requestedAt locale eventId eventTypes
attempts payload SALE sale SaleAccepted SaleBooked RETURN CANCELLATION
BOOKED INVOICE COLLECTION REFUND PAYMENT OUT EUR CREATE
UPDATE DELETE system:booking booking transaction TransactionRecorded
`
  .trim()
  .split(/\s+/);

/** Text before a field name: after a string, after any other value, and at the start of an object. */
const BEFORES = ['","', ',"', '{"'];
/** Indexes of `BEFORES`. */
export const BEFORE = { text: 0, other: 1, first: 2 } as const;
/** Text after a field name: before a string, before null, and before any other value. */
const AFTER_NAME = ['":"', '":null', '":'];
/** Indexes of `AFTER_NAME`. */
export const AFTER = { text: 0, null: 1, other: 2 } as const;
export const AFTERS = AFTER_NAME.length;
/**
 * Each word has one form for each combination of the text before it and the text after it. The last form, for values,
 * is the word alone.
 */
export const VALUE = BEFORES.length * AFTERS;
export const FORMS = VALUE + 1;
/** Numbers are stored as bytes from 1 to 127, because the SQLite binding truncates text at NUL. */
export const BASE = 127;

/** Strings in one buffer. String n ends where string n + 1 starts. */
class Texts {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;

  constructor(texts: readonly string[]) {
    this.bytes = Uint8Array.from(Buffer.from(texts.join('')));
    this.starts = new Uint32Array(texts.length + 1);
    for (const [n, text] of texts.entries()) this.starts[n + 1] = (this.starts[n] as number) + text.length;
  }
}

const formOf = (word: string, form: number): string =>
  form === VALUE ? word : `${BEFORES[Math.floor(form / AFTERS)]}${word}${AFTER_NAME[form % AFTERS]}`;
const words = new Texts(WORDS);
/** The expansions of all forms: the first `BASE` words in their first form, then in their second form, and so on. */
export const expansions = new Texts(
  Array.from({ length: Math.ceil(WORDS.length / BASE) * FORMS * BASE }, (_, n) => {
    const [code, number] = [Math.floor(n / BASE), n % BASE];
    const word = WORDS[Math.floor(code / FORMS) * BASE + number];
    return word === undefined ? '' : formOf(word, code % FORMS);
  }),
);

/** A hash table of word numbers. If a word's slot is taken, the word occupies the next free slot. */
const PLACES = 2_048;
export const UNKNOWN = -1;
const numbers = new Int16Array(PLACES).fill(UNKNOWN);
/** Three characters and the length distinguish most words. */
const placeOf = (text: Uint8Array, start: number, end: number): number =>
  (Math.imul(text[start] as number, 31) +
    Math.imul(text[(start + end) >> 1] as number, 97) +
    Math.imul(text[end - 1] as number, 389) +
    Math.imul(end - start, 1021)) &
  (PLACES - 1);
for (const [number, word] of WORDS.entries()) {
  let place = placeOf(Buffer.from(word), 0, word.length);
  while (numbers[place] !== UNKNOWN) place = (place + 1) % PLACES;
  numbers[place] = number;
}

/** Word numbers, keyed by word. */
const numbersByWord = new Map(WORDS.map((word, number) => [word, number]));
export const numberIn = (text: string): number => numbersByWord.get(text) ?? UNKNOWN;

/** Returns the number of the word between two offsets of a text. */
export function numberOf(text: Uint8Array, start: number, end: number): number {
  let place = placeOf(text, start, end);
  for (; numbers[place] !== UNKNOWN; place = (place + 1) % PLACES) {
    const number = numbers[place] as number;
    if (isWord(number, text, start, end)) return number;
  }
  return UNKNOWN;
}

function isWord(number: number, text: Uint8Array, start: number, end: number): boolean {
  const first = words.starts[number] as number;
  const size = (words.starts[number + 1] as number) - first;
  if (size !== end - start) return false;
  for (let n = 0; n < size; n += 1) if (text[start + n] !== words.bytes[first + n]) return false;
  return true;
}
