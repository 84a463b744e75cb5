import { z } from 'zod';

/**
 * Marks for event schema fields. `personal`: data about a natural person, to be encrypted per person in the future.
 * `secret`: a secret or the digest of a secret, which appears only in the history, never in audit changes or logs.
 */
export type Mark = 'personal' | 'secret';

export const personal = <S extends z.ZodType>(schema: S): S => schema.meta({ personal: true });
export const secret = <S extends z.ZodType>(schema: S): S => schema.meta({ secret: true });

/** Returns the dotted paths of the marked fields. `[]` denotes list items: `owner.email`, `links[].externalId`. */
export function markedFields(schema: z.ZodType, mark: Mark, path = ''): readonly string[] {
  if (schema.meta()?.[mark] === true) return [path];
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
      markedFields(field, mark, path === '' ? name : `${path}.${name}`),
    );
  }
  if (schema instanceof z.ZodArray) return markedFields(schema.element as z.ZodType, mark, `${path}[]`);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) {
    return markedFields(schema.unwrap() as z.ZodType, mark, path);
  }
  return [];
}
