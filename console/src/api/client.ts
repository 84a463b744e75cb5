import createClient from 'openapi-fetch';
import { lostBy, problemOf } from './problem';
import type { components, paths } from '../../../clients/typescript/src/schema';
import { accessToken, renew } from './session';
import { askStepUp } from './step-up';

export { data, whole } from '../../../clients/typescript/src/answers';

/** API schemas, keyed by their names in the OpenAPI document. */
export type Shapes = components['schemas'];

type Send = (request: Request) => Promise<Response>;

/** Request timeout. The service itself waits at most a few seconds. */
const LIMIT_MS = 30_000;
const MIN_POSITION = 'x-min-position';

/** Applies the timeout to the whole response. */
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

/** Handles a rejection by renewing the session or asking for proof of identity. Returns whether a retry may succeed. */
async function isMended(response: Response): Promise<boolean> {
  if (response.status === 401) return renew();
  return response.status === 403 && (await problemOf(response.clone())).code === 'STEP_UP_REQUIRED' && askStepUp();
}

/**
 * Sends a request with the session's token, without a timeout. After a 401, renews the session and retries once. If the
 * operation requires recent proof of identity, asks the user for it first.
 * @throws KontorError
 */
export async function authorizedFetch(request: Request, send: Send = fetch): Promise<Response> {
  const again = request.clone();
  const response = await signed(request, send);
  return (await isMended(response)) ? signed(again, send) : response;
}

/**
 * Position that the read models must reach to include every change made in this tab. 0 if they already include all
 * changes.
 */
let awaited = 0;

/** Makes subsequent read requests wait until the read models have reached at least this position. */
export function awaitPosition(position: number): void {
  awaited = Math.max(awaited, position);
}

async function write(request: Request): Promise<Response> {
  const response = await authorizedFetch(request, inTime);
  if (response.headers.get('x-read-model') === 'behind')
    awaitPosition(Number(response.headers.get('x-event-position')));
  return response;
}

/**
 * Waits until the read models have reached the awaited position. If they do not, for example because a read model has
 * stopped, returns the available data.
 */
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

/** API client whose types come from the service's OpenAPI document. */
export const api = createClient<paths, 'application/json'>({
  baseUrl: location.origin,
  fetch: (request) => (request.method === 'GET' ? read(request) : write(request)),
});

/**
 * Header that restricts a change to the revision that was read. Without this header, the change applies to any
 * revision.
 */
export const ifMatch = (revision?: number): { 'If-Match'?: string } =>
  revision === undefined ? {} : { 'If-Match': `"${revision}"` };
