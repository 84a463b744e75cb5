import { bodyLimitsOf } from '../../src/http/json-body.js';
import { endpointsOf } from '../../src/http/routes.js';
import { allControllers } from '../../src/app/app.module.js';
import { SchemaCollection, type JsonSchema } from '../../src/http/openapi-schemas.js';

/**
 * Maximum number of values in free-form JSON, whose text length is limited. `[0,0,…]` has the most values for its
 * length.
 */
const MOST_IN_FREE_JSON = 16_384 / 2;

const endpoints = endpointsOf(allControllers);

/** Returns the maximum number of values in a body that the schema accepts. */
function largest(schema: JsonSchema, named: Record<string, JsonSchema>): number {
  const { $ref, properties, additionalProperties, items, maxItems, anyOf, oneOf } = schema as {
    $ref?: string;
    properties?: Record<string, JsonSchema>;
    additionalProperties?: unknown;
    items?: JsonSchema;
    maxItems?: number;
    anyOf?: JsonSchema[];
    oneOf?: JsonSchema[];
  };
  if ($ref !== undefined) return largest(named[$ref.split('/').at(-1) ?? ''] ?? {}, named);
  const choices = anyOf ?? oneOf;
  if (choices) return Math.max(...choices.map((choice) => largest(choice, named)));
  if (items) return 2 + (maxItems ?? Infinity) * largest(items, named);
  if (!properties) return typeof additionalProperties === 'object' ? MOST_IN_FREE_JSON : 1;
  return Object.values(properties).reduce((sum, property) => sum + largest(property, named), 2);
}

test('no route rejects a schema-valid body for its number of values', () => {
  const writing = endpoints.filter(({ body }) => body !== undefined);
  const tooLarge = writing.flatMap((endpoint) => {
    const schemas = new SchemaCollection();
    const schema = schemas.of(endpoint.body as never, 'input');
    const values = largest(schema, schemas.components());
    return values > bodyLimitsOf(endpoint).values ? [`${endpoint.method} ${endpoint.path}: ${values}`] : [];
  });
  expect(writing.length).toBeGreaterThan(30);
  expect(tooLarge).toEqual([]);
});
