import { errorOf } from './kontor-error.js';

/** Result of an openapi-fetch call. */
type Asked<T> = Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>;

/**
 * Returns the whole body of a successful response. Intended for pages and sales, which have no envelope.
 * @throws KontorError
 */
export async function whole<T>(asked: Asked<T>): Promise<T> {
  const { data: body, error, response } = await asked;
  if (!response.ok || body === undefined) throw errorOf(response, error);
  return body;
}

/** Returns the content of a successful response's envelope. @throws KontorError */
export const data = async <T>(asked: Asked<{ readonly data: T }>): Promise<T> => (await whole(asked)).data;
