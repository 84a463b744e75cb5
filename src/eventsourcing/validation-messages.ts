import { z } from 'zod';

/** Singular and plural of the counted unit, by type of value. */
const COUNTED: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  never: 'omitted',
};
const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  uuid: 'a UUID',
  guid: 'a UUID',
  url: 'a URL',
  date: 'a calendar date, YYYY-MM-DD',
  datetime: 'an ISO 8601 instant, such as 2026-01-31T08:30:00.000Z',
  base64url: 'base64url',
};

type Bound = {
  readonly origin: string;
  readonly exact?: boolean | undefined;
  readonly inclusive?: boolean | undefined;
};
const bounded = ({ origin, exact, inclusive }: Bound, limit: number | bigint, open: string, closed: string): string => {
  const counted = COUNTED[origin];
  if (counted === undefined) return `Must be ${inclusive ? closed : open} ${limit}.`;
  return `Must have ${exact ? 'exactly' : closed} ${limit} ${counted[limit === 1 ? 0 : 1]}.`;
};

type Issue = z.core.$ZodRawIssue;
type Words = { readonly [C in Issue['code']]?: (issue: Extract<Issue, { code: C }>) => string };
const UNKNOWN = 'The value is invalid.';
const words: Words = {
  invalid_type: ({ expected }) => `Must be ${TYPES[expected] ?? expected}.`,
  too_small: (issue) => {
    if (issue.minimum === 1 && !issue.exact && COUNTED[issue.origin] !== undefined) return 'Must not be empty.';
    return bounded(issue, issue.minimum, 'more than', 'at least');
  },
  too_big: (issue) => bounded(issue, issue.maximum, 'less than', 'at most'),
  invalid_format: ({ format, pattern }) =>
    format === 'regex' ? `Must match ${pattern}.` : `Must be ${FORMATS[format] ?? format}.`,
  invalid_value: ({ values }) => `Must be ${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}.`,
  invalid_union: ({ errors }) => {
    const first = errors[0]?.[0];
    return first?.path.length === 0 ? first.message : UNKNOWN;
  },
  not_multiple_of: ({ divisor }) => `Must be a multiple of ${divisor}.`,
};

/** Returns the message for an issue from a schema without its own message. */
function inWords(issue: Issue): string {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return 'Must be specified.';
  return words[issue.code]?.(issue as never) ?? UNKNOWN;
}

// Replaces zod's messages for programmers ("Too small: expected string to have >=1 characters") with messages for users
// ("Must not be empty."). Importing this file applies the messages to the whole process. A schema's own messages take
// precedence.
z.config({ customError: inWords });
