/** The introduction to the API document (CommonMark), and the servers listed in the document. */

export const SERVERS = [{ url: '/', description: 'The service that serves this document.' }];

export const INTRODUCTION = `Kontor is an event-sourced accounting back office. Partners push sales, Kontor books them, and
the back office reads, corrects and closes the books.

## Start here

- **Partners** need an integration key and one operation: [push a sale](#/Partner%20Intake/postIntegrationsV1Sales).
  Send the key as \`X-Integration-Key\`. A \`202\` response means that the sale is stored. The service books it
  shortly afterwards. To find out whether the sale was booked or rejected, poll its status, or use a webhook to receive
  integration events.
- **Users and operators** sign in with \`POST /api/auth/login\` and send the access token as \`Authorization: Bearer …\`.
  Access tokens are short-lived; \`POST /api/auth/refresh\` exchanges a refresh token for new tokens.

\`\`\`sh
curl -X POST "$KONTOR/api/integrations/v1/sales" -H "X-Integration-Key: $KEY" -H "Content-Type: application/json" -d '{
  "externalId": "order-4711", "occurredAt": "2026-03-04T10:15:00Z", "currency": "EUR",
  "lines": [{ "description": "Espresso machine", "quantity": 2, "unitPrice": "100.00", "taxRate": 19 }]
}'
\`\`\`

## Conventions

- **Bodies** are JSON in UTF-8. Unknown fields are rejected. Most responses are wrapped in \`{ statusCode, data }\`.
  Pages contain \`items\` and totals instead.
- **Amounts** are decimal strings such as \`"1250.00"\`. In requests, numbers are also accepted. **Dates** are days in
  the tenant's time zone; **instants** are ISO 8601 in UTC.
- **Retries are safe.** A sale is identified by its \`externalId\`. Operations that create records accept an
  \`Idempotency-Key\` header. A retry with the same key returns the first response again, with the
  \`Idempotent-Replayed: true\` header.
- **Concurrent changes.** The \`ETag\` response header contains the record's revision. Send this revision in the
  \`If-Match\` header. If the record has changed since then, the response is \`409 REVISION_CONFLICT\`, and the other
  change is not overwritten.
- **Read your writes.** Responses to writes contain the \`X-Event-Position\` header. If you send its value in the
  \`X-Min-Position\` header of a read request, the response reflects the write.
- **Pages** start at \`pageNumber=1\`, with at most 100 records each.
- **Rate limits** are reported in the \`RateLimit\` and \`X-RateLimit-*\` headers. After a \`429\` or \`503\` response,
  wait for the number of seconds in \`Retry-After\`.

## Errors

Every error has a stable \`code\`, a \`message\` for people and the \`requestId\`. Validation errors also
have \`errors\`, which contains the path of each invalid value. The Partner Intake operations wrap errors in
\`{ error }\`. Each operation below lists its error codes with example bodies. When you report a problem, include the
request id. Logs and events contain the same id.
`;
