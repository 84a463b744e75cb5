import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

const DEFS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** Returns the name of the component to which a schema refers; empty if the schema is not a reference. */
export const componentOf = ({ $ref }: JsonSchema = {}): string =>
  typeof $ref === 'string' ? $ref.replace(COMPONENTS, '') : '';

/** Redirects references from a schema's own definitions to the document's components. */
const relocated = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$schema' || key === '$defs') return undefined;
    return key === '$ref' && typeof value === 'string' ? value.replace(DEFS, COMPONENTS) : value;
  }) as JsonSchema;

const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      const json = jsonSchema as JsonSchema;
      const { openapi } = json;
      if (isObject(openapi)) {
        for (const key of Object.keys(json)) Reflect.deleteProperty(json, key);
        Object.assign(json, openapi);
      }
    },
  });

/** Collects the named schemas of a document. Each name identifies exactly one schema. */
export class SchemaCollection {
  private readonly byName = new Map<string, JsonSchema>();

  /**
   * Returns the JSON Schema of a zod schema. Named parts, or the schema itself if it is named, become references to
   * components.
   */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const json = convert(schema, io);
    const { $defs = {}, id, ...root } = json as JsonSchema & { $defs?: Record<string, JsonSchema>; id?: string };
    for (const [name, definition] of Object.entries($defs)) this.add(name, definition);
    if (typeof id !== 'string') return relocated(root);
    this.add(id, root);
    return { $ref: COMPONENTS + id };
  }

  private add(name: string, definition: JsonSchema): void {
    const { id: _id, ...rest } = definition;
    const json = relocated(rest);
    const known = this.byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(json))
      throw new Error(`Two different schemas are named ${name}.`);
    this.byName.set(name, json);
  }

  /** The components are sorted, so that the document does not depend on the order of routes. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
