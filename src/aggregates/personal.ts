import { z } from 'zod';

/**
 * Marks in the events' schemas. `personal`: says something about a natural person, to be encrypted for each subject
 * one day. `secret`: a digest that grants access; never leaves the history, neither in audit changes nor in logs.
 */
export type Mark = 'personal' | 'secret';

export const personal = <S extends z.ZodType>(schema: S): S => schema.meta({ personal: true });
export const secret = <S extends z.ZodType>(schema: S): S => schema.meta({ secret: true });

/** The paths that carry a mark, dotted, with `[]` for list items: `owner.email`, `links[].externalId`. */
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
