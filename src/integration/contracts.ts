import { z } from 'zod';
import { markedFields } from '../aggregates/personal.js';
import { type CloudEvent, type Contract, exampleId, id, instant, type IntegrationEvent } from './contracts-fields.js';
import * as ofRecords from './contracts-of-records.js';
import * as ofSales from './contracts-of-sales.js';

/** All contracts, sorted by type. */
export const contracts: readonly Contract[] = [...Object.values(ofSales), ...Object.values(ofRecords)]
  .map((one): Contract => one)
  .sort((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));

/** Returns the CloudEvents type: `kontor.<entity>.<event>.v1`. */
export function typeOf({ entity, event }: Pick<Contract, 'entity' | 'event'>): string {
  return `kontor.${entity}.${event}.v1`;
}

/** Returns the broker subject of a tenant's events under this contract: `kontor.<tenantId>.<entity>.<event>`. */
export const subjectOf = ({ entity, event }: Pick<Contract, 'entity' | 'event'>, tenantId: string): string =>
  `kontor.${tenantId}.${entity}.${event}`;

/** Returns the schema of a complete published event: CloudEvents 1.0 in JSON, with the contract's data. */
export const eventSchemaOf = (contract: Contract) =>
  z.strictObject({
    specversion: z.literal('1.0'),
    id: id.meta({ description: 'Id of the event, the same in every repeat. Use it to deduplicate messages.' }),
    source: z.string().regex(/^\/tenants\/[0-9a-f-]{36}$/),
    type: z.literal(typeOf(contract)),
    subject: z.string().min(1).meta({ description: 'Id of the record.' }),
    time: instant,
    datacontenttype: z.literal('application/json'),
    tenantid: id,
    sequence: z.string().regex(/^\d+$/).meta({
      description: 'Increases with each event of a record, but may have gaps. Compare it as a number.',
    }),
    replayed: z.exactOptional(
      z.literal(true).meta({
        description: 'Present only if the message may be a repeat of an earlier message with the same `id`.',
      }),
    ),
    data: contract.data,
  });

export type JsonSchema = Readonly<Record<string, unknown>>;
type Target = 'draft-2020-12' | 'draft-7';

/**
 * Returns a JSON Schema for consumers. Consumers must ignore unknown members, because fields may be added to contracts.
 * Therefore, objects that are strict in the publisher's schema allow unknown members here. Personal fields are marked
 * with `x-personal`.
 */
const jsonSchemaOf = (schema: z.ZodType, target: Target): JsonSchema =>
  z.toJSONSchema(schema, {
    target,
    io: 'input',
    override: ({ jsonSchema }) => {
      const json = jsonSchema as Record<string, unknown>;
      if (json['additionalProperties'] === false) delete json['additionalProperties'];
      if (json['personal'] !== true) return;
      delete json['personal'];
      json['x-personal'] = true;
    },
  });

/** Returns an event's description, followed by a list of the personal data that the event contains. */
export function descriptionOf({ description, data }: Contract): string {
  const personal = markedFields(data, 'personal');
  return `${description} ${personal.length === 0 ? 'No personal data.' : `Personal data: ${personal.join(', ')}.`}`;
}

/** Returns the JSON Schema of the complete event, including the CloudEvents attributes. */
export const eventJsonSchema = (contract: Contract, target: Target): JsonSchema => ({
  ...jsonSchemaOf(eventSchemaOf(contract), target),
  title: typeOf(contract),
  description: descriptionOf(contract),
});

/** Returns a complete, valid example event. */
export function exampleOf(contract: Contract): IntegrationEvent {
  const { entity, example } = contract;
  const tenantId = exampleId(9);
  const record = entity === 'transaction' ? (example['id'] ?? example['transactionId']) : exampleId(1);
  return {
    subject: subjectOf(contract, tenantId),
    event: {
      specversion: '1.0',
      id: '0199d3a0-1111-7000-8000-000000000001',
      source: `/tenants/${tenantId}`,
      type: typeOf(contract),
      subject: String(record),
      time: '2026-03-04T10:00:01.250Z',
      datacontenttype: 'application/json',
      tenantid: tenantId,
      sequence: '0',
      data: example,
    },
  };
}

/** A contract as returned by the API. */
export type PublishedContract = {
  readonly type: string;
  /** Broker subject, with the placeholder `{tenantId}`. */
  readonly subject: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12) of the complete event. */
  readonly schema: JsonSchema;
  /** JSON Schema (draft 2020-12) of `data` only. */
  readonly dataSchema: JsonSchema;
  readonly example: CloudEvent;
};

export const publishedContracts = (): PublishedContract[] =>
  contracts.map((contract) => ({
    type: typeOf(contract),
    subject: subjectOf(contract, '{tenantId}'),
    description: descriptionOf(contract),
    schema: eventJsonSchema(contract, 'draft-2020-12'),
    dataSchema: jsonSchemaOf(contract.data, 'draft-2020-12'),
    example: exampleOf(contract).event,
  }));
