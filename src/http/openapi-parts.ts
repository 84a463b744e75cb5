/** Parts of the OpenAPI document shared by operations. */

/** Error responses documented for every operation. */
export const BEARER_REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'The credential is missing or invalid.',
  403: 'The caller lacks the required permission.',
  404: 'The record does not exist.',
  409: 'The request conflicts with the current state.',
  500: 'An internal error occurred.',
};

/** Description of the 503 of every operation. */
export const UNAVAILABLE =
  'The service is unavailable, or its read models have not reached `X-Min-Position`. `RECORD_UNREADABLE` means that ' +
  'the service must be upgraded before it can read the record.';

// The document uses two names for the same kind of bearer credential.
const bearer = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } as const;
export const SECURITY_SCHEMES = {
  Bearer: bearer,
  bearer,
  IntegrationKey: { type: 'apiKey', in: 'header', name: 'X-Integration-Key' },
  MetricsToken: { type: 'http', scheme: 'bearer' },
} as const;

export const RATE_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Window',
  'RateLimit',
  'RateLimit-Policy',
] as const;

const REQUEST_ID = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' } as const;
const REVISION = { type: 'string', pattern: '^"(0|[1-9][0-9]{0,14})"$' } as const;
const position = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const count = { type: 'integer', minimum: 0 } as const;
const string = { type: 'string' } as const;

const alwaysThere = {
  'X-Request-Id': {
    description: "Request id, either generated or taken from the request's `X-Request-Id` header.",
    required: true,
    schema: REQUEST_ID,
  },
  ETag: { description: 'Revision of the record, to send in the `If-Match` header.', required: true, schema: REVISION },
  'X-Event-Position': {
    description:
      'Position of the write in the history. To make sure that a later read reflects the write, send this position in ' +
      'the `X-Min-Position` header of that request.',
    required: true,
    schema: count,
  },
  'X-Read-Model': {
    description: 'Present if the write is durable but the read models have not caught up with it.',
    schema: { type: 'string', const: 'behind' },
  },
  'Idempotent-Replayed': {
    description: 'Present if this response is a replay of an earlier response.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Number of seconds to wait before retrying.', schema: count },
  'WWW-Authenticate': { description: 'Required authentication scheme.', schema: string },
  'X-RateLimit-Limit': { description: 'Number of requests allowed per window.', required: true, schema: count },
  'X-RateLimit-Remaining': {
    description: 'Number of requests remaining in the current window.',
    required: true,
    schema: count,
  },
  'X-RateLimit-Reset': { description: 'Unix time at which the window ends.', required: true, schema: count },
  'X-RateLimit-Window': {
    description: 'Length of the window in seconds, followed by `s`.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+s$' },
  },
  RateLimit: {
    description: 'Number of requests remaining under each limit (draft-ietf-httpapi-ratelimit-headers-10).',
    required: true,
    schema: string,
  },
  'RateLimit-Policy': {
    description: 'Rate limits and their windows (draft-ietf-httpapi-ratelimit-headers-10).',
    required: true,
    schema: string,
  },
} as const;

/** Returns the name of a header's optional variant, for responses that may be sent before the caller is identified. */
export const optional = (name: string): string => `${name}.optional`;
const optionalRates = Object.fromEntries(
  RATE_HEADERS.map((name) => [optional(name), { ...alwaysThere[name], required: false }]),
);

export const headerComponents = { ...alwaysThere, ...optionalRates };

const inHeader = (name: string, description: string, schema: object): object => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

export const parameterComponents = {
  'X-Request-Id': inHeader(
    'X-Request-Id',
    'Request id, returned in the response and recorded in logs and events.',
    string,
  ),
  'X-Min-Position': inHeader(
    'X-Min-Position',
    'Position that the read models must reach before the service responds.',
    position,
  ),
  'If-Match': inHeader(
    'If-Match',
    'Expected revision of the record. If the record has a different revision, the response is 409 REVISION_CONFLICT.',
    REVISION,
  ),
  'Idempotency-Key': inHeader('Idempotency-Key', 'Unique key that makes retries safe, such as a UUID.', {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{1,255}$',
  }),
};
