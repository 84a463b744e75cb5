import { useSyncExternalStore } from 'react';
import type { components } from '../../../clients/typescript/src/schema';
import type { FactorProof, FactorRequired } from './factors';
import { KontorError, lostBy, problemOf } from './problem';
import { queryClient } from './queries';

type Tokens = components['schemas']['ConsoleSessionDto'];
export type Credentials = components['schemas']['LoginDto'];

/** `unknown`: the session has not been checked yet. `ended`: the session ended while this tab was signed in. */
export type Session = { readonly is: 'unknown' | 'in' | 'out' | 'ended' };

/** Remaining lifetime at which tokens are renewed, so that requests are rarely rejected because of an expired token. */
const EARLY_MS = 45_000;
const PATH = '/console/session';
const LOCK = 'kontor-session';
/** Timeout of session requests. While one is pending, requests from all tabs wait. */
const LIMIT_MS = 15_000;

// The token is kept only in memory, because an injected script could read persistent storage.
let held: { readonly token: string; readonly untilMs: number } | undefined;
let session: Session = { is: 'unknown' };
let asking: Promise<boolean> | undefined;
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel('kontor-session');
// The session must be checked again, because a sign-in or sign-out in another tab may have changed the user.
tabs.onmessage = () => {
  lose('unknown');
};

function become(is: Session['is']): void {
  if (session.is === is) return;
  session = { is };
  for (const listener of listeners) listener();
}

function lose(is: Exclude<Session['is'], 'in'>): void {
  held = undefined;
  // The next user must not see data that the previous user loaded.
  queryClient.clear();
  become(is);
}

function keep({ accessToken, expiresIn }: Tokens): void {
  held = { token: accessToken, untilMs: performance.now() + expiresIn * 1_000 };
  become('in');
}

/** Sends JSON, which only a script from the same origin can do. @throws KontorError */
async function ask(path: string, method: string, body?: object): Promise<Tokens | FactorRequired | null> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(held !== undefined && method === 'DELETE' && { authorization: `Bearer ${held.token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT_MS),
  }).catch(lostBy());
  if (!response.ok) throw await problemOf(response);
  return ((await response.json().catch(lostBy())) as { data: Tokens | FactorRequired | null }).data;
}

/**
 * Browsers provide locks only over HTTPS or on localhost. Without locks, tabs rely on the service to accept a used
 * token for a few more seconds.
 */
const { locks } = navigator as { readonly locks?: LockManager };
const inTurn = <T>(work: () => Promise<T>): Promise<T> => (locks === undefined ? work() : locks.request(LOCK, work));

/**
 * All tabs share the cookie, whose token can be used only once. The lock prevents a tab from sending a token that
 * another tab has used.
 */
async function refresh(): Promise<boolean> {
  const tokens = await inTurn(() => ask(`${PATH}/refresh`, 'POST', {}));
  if (tokens === null || 'factorRequired' in tokens) lose(session.is === 'in' ? 'ended' : 'out');
  else keep(tokens);
  return tokens !== null;
}

/**
 * Requests a new access token. Returns false if there is no session, or if the session has ended. @throws KontorError
 */
export function renew(): Promise<boolean> {
  asking ??= refresh().finally(() => {
    asking = undefined;
  });
  return asking;
}

/**
 * Returns a token that remains valid for the duration of a request. Returns undefined if nobody is signed in. @throws
 * KontorError
 */
export async function accessToken(): Promise<string | undefined> {
  if (held === undefined || held.untilMs - performance.now() < EARLY_MS) await renew();
  return held?.token;
}

/**
 * Signs in with a password or, in a second step, with a factor. If a second step is required, returns the details of
 * that step.
 * @throws KontorError for wrong credentials, too many attempts, or an unavailable service
 */
export async function signIn(proof: Credentials | FactorProof): Promise<FactorRequired | undefined> {
  const tokens = await inTurn(() => ask(PATH, 'POST', proof));
  if (tokens === null) return undefined;
  if ('factorRequired' in tokens) return tokens;
  tabs.postMessage('in');
  keep(tokens);
  return undefined;
}

/** Ends the session in all tabs. @throws KontorError if the service could not be reached */
export async function signOut(): Promise<void> {
  if ((await accessToken()) !== undefined)
    await ask(PATH, 'DELETE').catch((error: unknown) => {
      const hasEnded = error instanceof KontorError && error.status === 401;
      if (!hasEnded) throw error;
    });
  tabs.postMessage('out');
  lose('out');
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns whether the session ended without a sign-out in this tab. */
export const hasEnded = (): boolean => session.is === 'ended' || session.is === 'unknown';

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);
