import createClient from 'openapi-fetch';
import { lostBy, problemOf } from './problem';
import type { components, paths } from '../../../clients/typescript/src/schema';
import { accessToken, renew } from './session';

export { data, whole } from '../../../clients/typescript/src/answers';

/** The shapes of the API by their names in its document. */
export type Shapes = components['schemas'];

type Send = (request: Request) => Promise<Response>;

/** What takes longer hangs: the service itself waits a few seconds at most. */
const LIMIT_MS = 30_000;
const MIN_POSITION = 'x-min-position';

/** The whole answer, which comes in time or not at all. */
const inTime: Send = async (request) => {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(LIMIT_MS)]);
  const response = await fetch(request, { signal });
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, response);
};

async function signed(request: Request, send: Send): Promise<Response> {
  const token = await accessToken();
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
  return send(request).catch(lostBy(request.signal));
}

/**
 * With the session's token; a session that was renewed elsewhere meanwhile gets one more try. Takes as long as it takes.
 * @throws KontorError
 */
export async function authorizedFetch(request: Request, send: Send = fetch): Promise<Response> {
  const again = request.clone();
  const response = await signed(request, send);
  return response.status === 401 && (await renew()) ? signed(again, send) : response;
}

/** What the read models still have to come to before what is read shows everything that was told here; 0: nothing. */
let awaited = 0;

/** Lets what is read from now on be at least so new, until something was. */
export function awaitPosition(position: number): void {
  awaited = Math.max(awaited, position);
}

async function write(request: Request): Promise<Response> {
  const response = await authorizedFetch(request, inTime);
  if (response.headers.get('x-read-model') === 'behind')
    awaitPosition(Number(response.headers.get('x-event-position')));
  return response;
}

/** Where the read models do not come that far (one of them may stand still), what they have is better than nothing. */
async function read(request: Request): Promise<Response> {
  const position = awaited;
  if (position === 0) return authorizedFetch(request, inTime);
  const asItIs = request.clone();
  request.headers.set(MIN_POSITION, String(position));
  const response = await authorizedFetch(request, inTime);
  const isBehind = response.status === 503 && (await problemOf(response.clone())).code === 'READ_MODEL_BEHIND';
  if ((isBehind || response.ok) && awaited <= position) awaited = 0;
  return isBehind ? authorizedFetch(asItIs, inTime) : response;
}

/** The API, typed by its OpenAPI document. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => (request.method === 'GET' ? read(request) : write(request)),
});
