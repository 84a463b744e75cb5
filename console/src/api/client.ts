import createClient from 'openapi-fetch';
import { KontorError, problemOf } from './problem';
import type { components, paths } from '../../../clients/typescript/src/schema';
import { accessToken, renew } from './session';

export { data, whole } from '../../../clients/typescript/src/answers';

/** The shapes of the API by their names in its document. */
export type Shapes = components['schemas'];

async function send(request: Request): Promise<Response> {
  const token = await accessToken();
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
  return fetch(request).catch((error: unknown) => {
    if (request.signal.aborted) throw error;
    throw problemOf(error);
  });
}

/** With the session's token; a session that was renewed elsewhere meanwhile gets one more try. @throws KontorError */
export async function authorizedFetch(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await send(request);
  return response.status === 401 && (await renew()) ? send(again) : response;
}

/** The API, typed by its OpenAPI document. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: authorizedFetch });

/**
 * Reads what is at least as new as what somebody was told already. Where the read models do not come that far in time (one
 * of them may stand still), what they have is better than nothing.
 * @throws KontorError
 */
export async function notBefore<T>(
  position: number,
  ask: (header: { 'X-Min-Position'?: number }) => Promise<T>,
): Promise<T> {
  if (position === 0) return ask({});
  return ask({ 'X-Min-Position': position }).catch((error: unknown) => {
    if (error instanceof KontorError && error.code === 'READ_MODEL_BEHIND') return ask({});
    throw error;
  });
}
