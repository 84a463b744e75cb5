/** The parts of the OpenAPI document that every operation shares. */

/** Declared on every operation. */
export const BEARER_REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The credential is missing or not valid.',
  403: 'The caller may not do this.',
  404: 'There is no such record.',
  409: 'The request conflicts with the current state.',
  500: 'Something went wrong in the service.',
};

// The specification names the one bearer credential twice; either name means the same.
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

export const headerComponents = {
  'X-Request-Id': { description: 'That of the request, or a new one.', required: true, schema: REQUEST_ID },
  ETag: { description: "The record's revision, for If-Match.", required: true, schema: REVISION },
  'X-Event-Position': {
    description: 'Where the write stands in the history; give it as X-Min-Position to read what it did.',
    required: true,
    schema: count,
  },
  'X-Read-Model': {
    description: 'The write is durable, but the read models have not caught up with it yet.',
    schema: { type: 'string', const: 'behind' },
  },
  'Idempotent-Replayed': {
    description: 'The answer of an earlier request is repeated.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: count },
  'WWW-Authenticate': { description: 'The credential that is needed.', schema: string },
  'X-RateLimit-Limit': { description: 'Requests allowed in a window.', required: true, schema: count },
  'X-RateLimit-Remaining': { description: 'Requests left in the window.', required: true, schema: count },
  'X-RateLimit-Reset': { description: 'Unix time at which the window ends.', required: true, schema: count },
  'X-RateLimit-Window': {
    description: 'Length of the window.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+s$' },
  },
  RateLimit: { description: 'draft-ietf-httpapi-ratelimit-headers-10.', required: true, schema: string },
  'RateLimit-Policy': { description: 'draft-ietf-httpapi-ratelimit-headers-10.', required: true, schema: string },
} as const;

const inHeader = (name: string, description: string, schema: object): object => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

export const parameterComponents = {
  'X-Request-Id': inHeader('X-Request-Id', 'Comes back on the answer, and stands in logs and events.', string),
  'X-Min-Position': inHeader('X-Min-Position', 'Waits until the read models have this position.', position),
  'If-Match': inHeader('If-Match', 'The revision that the record must have; else 409 REVISION_CONFLICT.', REVISION),
  'Idempotency-Key': inHeader('Idempotency-Key', 'Makes a retry safe; a UUID is a good choice.', {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{1,255}$',
  }),
};
