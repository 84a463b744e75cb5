import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import * as aggregates from '../src/app/aggregates.js';
import { PERMISSIONS } from '../src/security/permissions.js';
import { z } from 'zod';
import '../src/eventsourcing/validation-messages.js';
import { englishOf, pathWords } from '../console/src/messages/field-names.js';
import { ServiceTexts } from '../console/src/messages/service-texts.js';
import { nameless, reportedSentences, serviceMessages } from './support/service-messages.js';
import { auditedFields, namedKinds, recordKinds } from './support/recorded-names.js';
import { namesInMessage, consoleSources, MESSAGES, textsOf } from './support/console-texts.js';

// All console strings in the source code are English. Each other language has one file with its translations. The file
// for English contains only the service's messages that the console rewrites, and the names of permissions.
const { used, bare } = textsOf(consoleSources());
const keys = new Set(used.map(({ text }) => text));
const isCoded = (key: string): boolean => /^[a-z]+:/.test(key);
const languages = readdirSync(MESSAGES).filter((name) => name.endsWith('.json') && name !== 'en.json');
const catalogueOf = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(MESSAGES, name), 'utf8')) as Record<string, string>;

const codesIn = (catalogue: Readonly<Record<string, string>>, kind: string): string[] =>
  Object.keys(catalogue)
    .filter((key) => key.startsWith(`${kind}:`))
    .map((key) => key.slice(kind.length + 1))
    .sort();

/** Returns the translations of the service's texts in a catalogue. */
function serviceTextsOf(name: string): ServiceTexts {
  const catalogue = catalogueOf(name);
  const texts = ['error', 'report'].flatMap((kind) =>
    codesIn(catalogue, kind).map((text) => [text, catalogue[`${kind}:${text}`] ?? ''] as const),
  );
  return new ServiceTexts(texts, name.replace('.json', ''));
}

/** Event types that have an audit log entry. */
const AUDITED = Object.values(aggregates)
  .flatMap(({ events }) => Object.entries(events))
  .filter(([, { audit }]) => audit !== null)
  .map(([type]) => type)
  .sort();

const service = serviceMessages(
  ...['aggregates', 'app', 'commands', 'eventsourcing', 'http', 'integration', 'policies', 'queries', 'security'],
);
/** Sentences in job results, notifications and the error log, with `{}` in place of values. */
const reported = reportedSentences();
/** Returns the texts that are not such sentences: the codes of rejected sales, which these sentences contain. */
const otherReports = (texts: readonly string[]): string[] => texts.filter((text) => !reported.includes(nameless(text)));

const faultOf = (schema: z.ZodType, value: unknown): string => schema.safeParse(value).error?.issues[0]?.message ?? '';
/** Validation messages that the service composes, each caused by an invalid value. */
const COMPOSED = [
  faultOf(z.string(), undefined),
  faultOf(z.string().min(1), ''),
  faultOf(z.string().max(2), 'abc'),
  faultOf(z.string().min(2), 'a'),
  faultOf(z.array(z.int()).max(2), [1, 2, 3]),
  faultOf(z.array(z.int()).min(2), [1]),
  faultOf(z.number().max(2), 3),
  faultOf(z.number().min(2), 1),
  faultOf(z.enum(['a', 'b']), 'c'),
  faultOf(z.email(), 'nobody'),
  faultOf(z.uuid(), '7'),
  faultOf(z.url(), 'nowhere'),
  faultOf(z.iso.date(), '31.12.2025'),
  faultOf(z.iso.datetime(), '31.12.2025'),
  faultOf(z.number(), 'one'),
  faultOf(z.int(), 1.5),
  faultOf(
    z.custom(() => false),
    1,
  ),
];

/** Whether a message starts and ends with the fixed parts of `shape`. */
function isOf(message: string, shape: string): boolean {
  const [start = '', ...rest] = nameless(shape).split('{}');
  const end = rest.at(-1);
  return end === undefined ? message === start : message.startsWith(start) && message.endsWith(end);
}

/** Descriptions in the job declarations. */
function jobDescriptions(): string[] {
  const folder = join(import.meta.dirname, '..', 'src', 'jobs');
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return sources.flatMap((source) => source.match(/^ +description:\s+'/gm) ?? []);
}

test('No text reaches the user without passing through the catalogue', () => {
  expect(bare).toEqual([]);
});

test('Every text of the source receives exactly the values that it uses', () => {
  const wrong = used.filter(
    ({ text, values }) => namesInMessage(text).sort().join() !== [...new Set(values)].sort().join(),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['isCancelled', 'Cancelled'],
  ['branchIds', 'Branches'],
  ['reversedBy.transactionId', 'Reversed by › Transaction'],
  ['openingTransaction.postings[0].accountId', 'Opening transaction › Posting 1 › Account'],
  ['taxes.1.rate', 'Tax 2 › Rate'],
  ['defaults.CASH', 'Defaults › CASH'],
  ['sku', 'SKU'],
])('In English, the field %s is named %s', (path, words) => {
  expect(pathWords(path, englishOf)).toBe(words);
});

test('Every kind of record has a name in the lists of events and of the audit log', () => {
  const named = namedKinds();
  expect(recordKinds().filter((kind) => !named.includes(kind))).toEqual([]);
  expect(named.filter((kind) => !recordKinds().includes(kind))).toEqual([]);
});

describe.each(languages)('The catalogue %s', (name) => {
  const catalogue = catalogueOf(name);

  test('translates every text of the source and nothing else', () => {
    expect([...keys].filter((key) => (catalogue[key] ?? '') === '')).toEqual([]);
    expect(Object.keys(catalogue).filter((key) => !keys.has(key) && !isCoded(key))).toEqual([]);
  });

  test('names the same values and elements as the English texts', () => {
    const differing = Object.entries(catalogue).filter(
      ([key, text]) => !isCoded(key) && namesInMessage(key).sort().join() !== namesInMessage(text).sort().join(),
    );
    expect(differing).toEqual([]);
  });

  test('contains only valid messages', () => {
    const locale = name.replace('.json', '');
    for (const text of Object.values(catalogue)) expect(() => new IntlMessageFormat(text, locale)).not.toThrow();
  });

  test('translates everything that the service identifies by a code: permissions, jobs and audited events', () => {
    expect(codesIn(catalogue, 'permission')).toEqual(PERMISSIONS.map(({ code }) => code).sort());
    expect(codesIn(catalogue, 'event')).toEqual(AUDITED);
    expect(codesIn(catalogue, 'job')).toHaveLength(jobDescriptions().length);
  });

  test('translates the names of all fields that the audit log shows, and no others', () => {
    expect(Object.keys(catalogueOf(`fields/${name}`))).toEqual(auditedFields());
  });

  test('translates the error messages of commands and of fields, and no others', () => {
    const translated = codesIn(catalogue, 'error');
    const shapes = new Set(translated.map(nameless));
    expect(service.messages.length).toBeGreaterThan(100);
    expect(service.messages.filter((message) => !shapes.has(message))).toEqual([]);
    expect(COMPOSED.filter((message) => !translated.some((each) => isOf(message, each)))).toEqual([]);
    const unknown = translated.filter((message) => !service.texts.has(nameless(message)));
    expect(unknown.filter((message) => !COMPOSED.some((each) => isOf(each, message)))).toEqual([]);
  });

  test('translates the results of jobs, notifications and the titles of the error log, and no others', () => {
    const translated = codesIn(catalogue, 'report');
    const shapes = new Set([...translated, ...codesIn(catalogue, 'error')].map(nameless));
    expect(reported.length).toBeGreaterThan(150);
    expect(reported.filter((sentence) => !shapes.has(sentence))).toEqual([]);
    expect(otherReports(translated)).toEqual(codesIn(catalogue, 'rejection'));
  });

  test('translates these texts with any values', () => {
    const texts = serviceTextsOf(name);
    const filled = (shape: string): string => shape.replaceAll('{}', '7');
    const sentences = [...reported, ...service.messages].map(filled);
    expect(sentences.filter((sentence) => texts.wordsFor(sentence) === sentence)).toEqual([]);
  });

  test('is sorted, so that changes by several people can be merged', () => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(catalogue).sort());
  });
});

describe('A text of the service in German', () => {
  const german = serviceTextsOf('de.json');

  test.each([
    [
      '10431 events, 5120000 bytes. Old backups removed: 2.',
      '10.431 Ereignisse, 5.120.000 Bytes. Alte Sicherungen entfernt: 2.',
    ],
    [
      '1 of 3 replayed, 1 failed again, 1 resolved otherwise.',
      '1 von 3 erneut verarbeitet, 1 erneut fehlgeschlagen, 1 anders erledigt.',
    ],
    [
      'database-backup: a job failed: The backup cannot be written to /srv/b: it is not a directory.',
      'database-backup: Aufgabe fehlgeschlagen: Die Sicherung kann nicht nach /srv/b geschrieben werden: der Pfad ist kein Verzeichnis.',
    ],
    [
      'policy booking: retrying an event: connect ECONNREFUSED',
      'policy booking: ein Ereignis wird erneut versucht: connect ECONNREFUSED',
    ],
    [
      'The branch NORTH does not exist. Rejected: web-1, web-2 and 3 more. The sales are booked as soon as the cause is removed.',
      'The branch NORTH does not exist. Abgelehnt: web-1, web-2 und 3 weitere. Die Verkäufe werden gebucht, sobald die Ursache behoben ist.',
    ],
    [
      'Each sale shows its own cause. Rejected: web-1, web-2. Each sale is booked as soon as its cause is removed.',
      'Die Ursache steht bei jedem Verkauf. Abgelehnt: web-1, web-2. Jeder Verkauf wird gebucht, sobald seine Ursache behoben ist.',
    ],
    [
      'Transactions in the closed period through 2025-12-31',
      'Buchungen in der bis zum 31.12.2025 abgeschlossenen Periode',
    ],
    [
      '3 documents differ: customers t1 c1: differs at position 1200; users t1 u1: exists, but was deleted; and 1 more. 10 documents of 2 read models compared with 40 events up to position 1200 (seed 7).',
      '3 Dokumente weichen ab: customers t1 c1: weicht an Position 1.200 ab; users t1 u1: ist vorhanden, wurde aber gelöscht; und 1 weitere. 10 Dokumente aus 2 Lesemodellen mit 40 Ereignissen bis Position 1200 verglichen (Startwert 7).',
    ],
    [
      'The branch NORTH does not exist. Create it, or correct branchCode. Rejected: web-1. The sale is booked as soon as the cause is removed.',
      'Die Filiale NORTH gibt es nicht. Legen Sie sie an, oder berichtigen Sie den Code der Filiale. Abgelehnt: web-1. Der Verkauf wird gebucht, sobald die Ursache behoben ist.',
    ],
    [
      'There is no active default account of type POS. Choose one, or specify accountCode.',
      'Es gibt kein aktives Standardkonto der Art Kartenterminal. Wählen Sie eines, oder geben Sie eine Kontonummer an.',
    ],
    ['The debits exceed the credits by 0.01 EUR.', 'Das Soll übersteigt das Haben um 0,01 EUR.'],
    ['The credits exceed the debits by 1234.500 KWD.', 'Das Haben übersteigt das Soll um 1.234,500 KWD.'],
    ['The debits exceed the credits by 12345 JPY.', 'Das Soll übersteigt das Haben um 12.345 JPY.'],
    [
      'The type PAYMENT requires exactly one of customerId, counterAccountId, expenseItemId.',
      'Wählen Sie entweder einen Kunden, einen Lieferanten oder Mitarbeiter oder einen Aufwand.',
    ],
    [
      'Must be a decimal number without a sign or an exponent, such as "1250.00".',
      'Muss eine Zahl ohne Minuszeichen sein, zum Beispiel 1.250,00.',
    ],
    ['TypeError: x is not a function', 'TypeError: x is not a function'],
  ])('contains the values of the English text: %s', (english, words) => {
    expect(german.wordsFor(english)).toBe(words);
  });
});

describe('A text of the service in English', () => {
  const catalogue = catalogueOf('en.json');
  const english = serviceTextsOf('en.json');

  test('names all permissions as the service does', () => {
    const named = codesIn(catalogue, 'permission').map((code) => [code, catalogue[`permission:${code}`]]);
    expect(named).toEqual(PERMISSIONS.map(({ code, description }) => [code, description]).sort());
  });

  test.each([
    [
      'The type PAYMENT requires exactly one of customerId, counterAccountId, expenseItemId.',
      'Choose either a customer, a supplier or employee, or an expense.',
    ],
    [
      'The type OPENING_BALANCE requires exactly one of customerId, accountId.',
      'Choose either a customer or an account.',
    ],
    ['Must be specified if the type is TRANSFER.', 'Must be specified.'],
    [
      'Must be a decimal number without a sign or an exponent, such as "1250.00".',
      'Must be a number without a minus sign, such as 1,250.00.',
    ],
    [
      '2025-06-01 is in a closed period. The books are closed through 2025-12-31. Choose a later date, or reopen the period.',
      'Jun 1, 2025 is in a closed period. The books are closed through Dec 31, 2025. Choose a later date, or reopen the period.',
    ],
    [
      'The branch NORTH does not exist. Create it, or correct branchCode. Rejected: web-1.',
      'The branch NORTH does not exist. Create it, or correct the branch code. Rejected: web-1.',
    ],
    ['The credentials are wrong.', 'The credentials are wrong.'],
    [
      'The sale web-1 was rejected: RELATED_SALE_UNKNOWN',
      'The sale web-1 was rejected: the original sale is missing or not booked',
    ],
    ['1200 sales were rejected: CUSTOMER_PASSIVE', '1,200 sales were rejected: the customer is inactive'],
    ['Dead letters with origin PROJECTION', 'Dead letters (read models)'],
  ])('contains no API names and no raw dates: %s', (text, words) => {
    expect(english.wordsFor(text)).toBe(words);
  });

  test('is rewritten only if the service sends it', () => {
    const rewritten = codesIn(catalogue, 'error');
    const isSent = (text: string): boolean =>
      service.texts.has(nameless(text)) || COMPOSED.some((message) => isOf(message, text));
    const names = codesIn(catalogue, 'permission').map((code) => `permission:${code}`);
    const reports = codesIn(catalogue, 'report');
    expect(Object.keys(catalogue)).toEqual([
      ...rewritten.map((text) => `error:${text}`),
      ...names,
      ...reports.map((text) => `report:${text}`),
    ]);
    expect(rewritten.filter((text) => !isSent(text))).toEqual([]);
    expect(otherReports(reports)).toEqual(codesIn(catalogueOf('de.json'), 'rejection'));
  });
});
