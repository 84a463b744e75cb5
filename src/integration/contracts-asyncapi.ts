import {
  contracts,
  descriptionOf,
  eventJsonSchema,
  exampleOf,
  subjectOf,
  typeOf,
  type JsonSchema,
} from './contracts.js';
import type { Contract } from './contracts-fields.js';

const MEDIA_TYPE = 'application/cloudevents+json';

const HEADERS = {
  type: 'object',
  properties: {
    'Nats-Msg-Id': {
      type: 'string',
      description:
        'The CloudEvents id. In repeats, the id has a suffix, because JetStream drops messages whose ids it has already ' +
        'seen within its duplicate window: `<id>~<dead-letter id>.<attempt>`, `<id>~rewind.<id of the rewind>` or `<id>~retry`.',
    },
    'content-type': { type: 'string', const: MEDIA_TYPE },
  },
  required: ['Nats-Msg-Id', 'content-type'],
};

const ABOUT = [
  'Kontor publishes its domain events as CloudEvents 1.0 (JSON) to NATS JetStream. Every message is delivered at least once, and the messages about each record are in order.',
  'Use the CloudEvents `id` to deduplicate messages. It is the same in every repeat of a message. The `replayed` extension marks repeats.',
  'A repeat may follow newer messages with the same subject. To avoid replacing newer data, ignore a message whose `sequence` is lower than that of the last message with the same subject. Compare `sequence` as a number. Exception: `kontor.sale.booked.v1` is always the last message about its subject. Process it regardless of its `sequence`, and ignore all other messages with the same subject after it. `time` is informative only, because clocks may differ or be set back.',
  'Ignore unknown members. Contracts may gain members. Any other change creates a new version of the type.',
].join('\n\n');

/** Returns the contract's name in the document, such as `saleBooked`. */
const nameOf = ({ entity, event }: Contract): string => entity + capitalised(event);
const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const ref = (...path: readonly string[]): JsonSchema => ({ $ref: `#/${path.join('/')}` });

const byName = (of: (contract: Contract) => JsonSchema, name = nameOf): Record<string, JsonSchema> =>
  Object.fromEntries(contracts.map((contract) => [name(contract), of(contract)]));

const channelOf = (contract: Contract): JsonSchema => ({
  address: subjectOf(contract, '{tenantId}'),
  description: descriptionOf(contract),
  parameters: { tenantId: ref('components', 'parameters', 'tenantId') },
  messages: { [nameOf(contract)]: ref('components', 'messages', nameOf(contract)) },
});

const operationOf = (contract: Contract): JsonSchema => ({
  action: 'send',
  summary: `Publish ${typeOf(contract)}`,
  channel: ref('channels', nameOf(contract)),
  messages: [ref('channels', nameOf(contract), 'messages', nameOf(contract))],
  bindings: { nats: { bindingVersion: '0.1.0' } },
});

function messageOf(contract: Contract): JsonSchema {
  const { event } = exampleOf(contract);
  return {
    name: typeOf(contract),
    title: typeOf(contract),
    summary: descriptionOf(contract),
    contentType: MEDIA_TYPE,
    headers: ref('components', 'schemas', 'headers'),
    payload: ref('components', 'schemas', nameOf(contract)),
    examples: [{ name: 'example', headers: { 'Nats-Msg-Id': event.id, 'content-type': MEDIA_TYPE }, payload: event }],
  };
}

/** Returns the contract's JSON Schema without `$schema`, because draft 7 is AsyncAPI's default. */
function payloadOf(contract: Contract): JsonSchema {
  const { $schema: _, ...schema } = eventJsonSchema(contract, 'draft-7');
  return schema;
}

/** Creates the AsyncAPI 3 document that describes the published integration events. */
export const asyncApiDocument = (info: { readonly title: string; readonly version: string }): object => ({
  asyncapi: '3.0.0',
  info: { title: `${info.title}: integration events`, version: info.version, description: ABOUT },
  defaultContentType: MEDIA_TYPE,
  servers: {
    broker: {
      host: '{host}',
      protocol: 'nats',
      description: 'The NATS server with JetStream at `NATS_URL`.',
      variables: { host: { default: 'localhost:4222' } },
    },
  },
  channels: byName(channelOf),
  operations: byName(operationOf, (contract) => `publish${capitalised(nameOf(contract))}`),
  components: {
    parameters: { tenantId: { description: 'Tenant id.' } },
    messages: byName(messageOf),
    schemas: { headers: HEADERS, ...byName(payloadOf) },
  },
});
