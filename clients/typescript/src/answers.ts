import { errorOf } from './kontor-error.js';

/** What openapi-fetch answers. */
type Asked<T> = Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>;

/** The whole body of a success: of pages and sales, which have no envelope. @throws KontorError */
export async function whole<T>(asked: Asked<T>): Promise<T> {
  const { data: body, error, response } = await asked;
  if (!response.ok || body === undefined) throw errorOf(response, error);
  return body;
}

/** What the envelope of a success holds. @throws KontorError */
export const data = async <T>(asked: Asked<{ readonly data: T }>): Promise<T> => (await whole(asked)).data;
