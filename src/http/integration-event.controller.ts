import { z } from 'zod';
import { publishedContracts } from '../integration/contracts.js';
import { JsonText } from './answer.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { named } from './shapes.js';

const jsonSchema = z.looseObject({});
const IntegrationEventDto = named(
  'IntegrationEventDto',
  z.object({
    type: z.string().meta({ description: '`type` of the CloudEvent.' }),
    subject: z.string().meta({ description: 'Broker subject, with `{tenantId}` as a placeholder.' }),
    description: z
      .string()
      .meta({ description: 'Condition under which the event is published, and the personal data that it contains.' }),
    schema: jsonSchema.meta({ description: 'JSON Schema (draft 2020-12) of the CloudEvent.' }),
    dataSchema: jsonSchema.meta({ description: 'JSON Schema (draft 2020-12) of the `data` attribute.' }),
    example: jsonSchema,
  }),
);

let text: string | undefined;

const routes = routesAt('/api/integration-events', { who: 'any', tag: 'Integration Events' });

export const IntegrationEventController = controllerOf(
  routes.route(
    'List the published integration events with their JSON Schemas',
    {
      description: '`/asyncapi.json` describes the same events as an AsyncAPI 3 document.',
      answers: valueOf(z.array(IntegrationEventDto)),
    },
    () => new JsonText((text ??= JSON.stringify(publishedContracts()))),
  ),
);
