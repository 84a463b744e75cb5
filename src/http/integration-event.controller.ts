import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { publishedContracts } from '../integration/contracts.js';
import { answer, JsonText, type Answer } from './answer.js';
import { Endpoint } from './endpoint.js';
import { named } from './shapes.js';

const jsonSchema = z.looseObject({});
const IntegrationEventDto = named(
  'IntegrationEventDto',
  z.object({
    type: z.string().meta({ description: '`type` of the CloudEvent.' }),
    subject: z.string().meta({ description: "Of the broker, with `{tenantId}` where the tenant's id stands." }),
    description: z.string().meta({ description: 'When it is published, and what in it is personal data.' }),
    schema: jsonSchema.meta({ description: 'JSON Schema (draft 2020-12) of the whole CloudEvent.' }),
    dataSchema: jsonSchema.meta({ description: 'JSON Schema (draft 2020-12) of its data alone.' }),
    example: jsonSchema,
  }),
);

/** What the service publishes. */
@Controller()
export class IntegrationEventController {
  private text: string | undefined;

  @Endpoint({
    method: 'GET',
    path: '/api/integration-events',
    who: 'any',
    tag: 'Integration Events',
    summary: 'The events that are published, with their JSON Schemas',
    description: 'The same as an AsyncAPI 3 document: `/asyncapi.json`.',
    answers: { status: 200, shape: 'envelope', schema: z.array(IntegrationEventDto) },
  })
  list(): Answer {
    this.text ??= JSON.stringify(publishedContracts());
    return answer(new JsonText(this.text));
  }
}
