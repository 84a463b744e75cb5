import { componentOf, type JsonSchema } from '../openapi-schemas.js';
import { RARE, SAMPLE_VALUES } from './sample-values.js';

type Place = { readonly schemaName: string; readonly field: string; readonly recordId?: string | undefined };

const typesOf = ({ type }: JsonSchema): readonly unknown[] => (Array.isArray(type) ? type : [type]);
const INSTANT = '2026-03-04T10:15:00.000Z';
const DAY = '2026-03-04';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Builds example values from the document's schemas and the table of sample values. */
export class ExampleBuilder {
  constructor(private readonly components: Readonly<Record<string, JsonSchema>>) {}

  /** An example of a response body. `recordId`: the id in the response to a command. */
  of(schema: JsonSchema, place: Place = { schemaName: '', field: '' }): unknown {
    const schemaName = componentOf(schema);
    if (schemaName !== '') return this.of(this.components[schemaName] ?? {}, { ...place, schemaName });
    if ('const' in schema) return schema['const'];
    const given = this.given(place).find((value) => this.accepts(schema, value));
    return given === undefined ? this.generic(schema, place) : given;
  }

  private given({ schemaName, field, recordId }: Place): readonly unknown[] {
    if (schemaName === 'CommandResponseDto' && field === 'id' && recordId !== undefined) return [recordId];
    const ofSchema = SAMPLE_VALUES[`${schemaName}.${field}`];
    if (ofSchema !== undefined || field === '') return ofSchema ?? [];
    return SAMPLE_VALUES[field] ?? [];
  }

  private generic(schema: JsonSchema, place: Place): unknown {
    const { anyOf, enum: choices } = schema as { anyOf?: JsonSchema[]; enum?: unknown[] };
    if (anyOf) return this.of(anyOf[0] ?? {}, place);
    return choices ? choices[0] : this.ofType(schema, place);
  }

  private ofType(schema: JsonSchema, place: Place): unknown {
    switch (typesOf(schema)[0]) {
      case 'object':
        return this.object(schema, place);
      case 'array':
        return [this.of((schema['items'] ?? {}) as JsonSchema, { ...place, field: '' })];
      case 'boolean':
        return true;
      case 'integer':
      case 'number':
        return Math.max(0, (schema['minimum'] as number | undefined) ?? 0);
      case 'string':
        return text(schema);
      default:
        return {};
    }
  }

  private object({ properties = {} }: JsonSchema, { schemaName, recordId }: Place): object {
    const isRare = (field: string): boolean => RARE.has(field) || RARE.has(`${schemaName}.${field}`);
    return Object.fromEntries(
      Object.entries(properties as Record<string, JsonSchema>)
        .filter(([field]) => !isRare(field))
        .map(([field, schema]) => [field, this.of(schema, { schemaName, field, recordId })]),
    );
  }

  /** Whether a schema accepts a sample value. Nested values are not checked; a test checks whole examples. */
  private accepts(schema: JsonSchema, value: unknown): boolean {
    const {
      $ref,
      anyOf,
      enum: choices,
      format,
      pattern,
    } = schema as {
      $ref?: string;
      anyOf?: JsonSchema[];
      enum?: unknown[];
      format?: string;
      pattern?: string;
    };
    if ($ref !== undefined) return false;
    if (anyOf) return anyOf.some((one) => this.accepts(one, value));
    if (choices) return choices.includes(value);
    const types = typesOf(schema);
    if (types[0] === undefined) return true;
    const type = typeOf(value);
    if (!types.some((one) => one === type || (one === 'integer' && Number.isInteger(value)))) return false;
    if (typeof value !== 'string') return true;
    if (pattern !== undefined) return new RegExp(pattern, 'u').test(value);
    return format === undefined || fitsFormat(format, value);
  }
}

function fitsFormat(format: string, value: string): boolean {
  if (format === 'date') return /^\d{4}-\d\d-\d\d$/.test(value);
  if (format === 'date-time') return /^\d{4}-\d\d-\d\dT/.test(value);
  return format !== 'uuid' || /^[\da-f]{8}-/.test(value);
}

function text({ format, pattern }: JsonSchema): string {
  if (format === 'date') return DAY;
  if (format === 'date-time') return INSTANT;
  if (format === 'uuid') return '0199d3a0-0000-7000-8000-000000000099';
  return pattern === undefined ? '…' : '0';
}
