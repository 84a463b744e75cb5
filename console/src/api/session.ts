import { useSyncExternalStore } from 'react';
import type { components } from '../../../clients/typescript/src/schema';
import { KontorError, lostBy, problemOf } from './problem';
import { queryClient } from './queries';

type Tokens = components['schemas']['ConsoleSessionDto'];

/** `unknown`: nobody has asked the service yet. `ended`: it was open in this tab, and is no more. */
export type Session = { readonly is: 'unknown' | 'in' | 'out' | 'ended' };

/** A token is replaced when it has less than this left, so that requests are hardly ever refused for it. */
const EARLY_MS = 45_000;
const PATH = '/console/session';
const LOCK = 'kontor-session';
/** All requests of all tabs wait for these. */
const LIMIT_MS = 15_000;

// In memory and nowhere else: a script from elsewhere could read what is stored.
let held: { readonly token: string; readonly untilMs: number } | undefined;
let session: Session = { is: 'unknown' };
let asking: Promise<boolean> | undefined;
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel('kontor-session');
// Who somebody else's sign-in or sign-out leaves here is asked anew.
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
  // What one person has read is not for the next one.
  queryClient.clear();
  become(is);
}

function keep({ accessToken, expiresIn }: Tokens): void {
  held = { token: accessToken, untilMs: performance.now() + expiresIn * 1_000 };
  become('in');
}

/** A request that carries JSON, as only a script of this origin can send it. @throws KontorError */
async function ask(path: string, method: string, body?: object): Promise<Tokens | null> {
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
  return ((await response.json().catch(lostBy())) as { data: Tokens | null }).data;
}

/** Browsers have locks where the address is HTTPS or this machine; elsewhere the service forgives for some seconds. */
const { locks } = navigator as { readonly locks?: LockManager };
const inTurn = <T>(work: () => Promise<T>): Promise<T> => (locks === undefined ? work() : locks.request(LOCK, work));

/** Tabs share the cookie, and its token is spent by its use: they take turns, so that none brings a spent one. */
async function refresh(): Promise<boolean> {
  const tokens = await inTurn(() => ask(`${PATH}/refresh`, 'POST', {}));
  if (tokens === null) lose(session.is === 'in' ? 'ended' : 'out');
  else keep(tokens);
  return tokens !== null;
}

/** Asks the service for a new access token. False where nobody is signed in (any more). @throws KontorError */
export function renew(): Promise<boolean> {
  asking ??= refresh().finally(() => {
    asking = undefined;
  });
  return asking;
}

/** A token that lasts for a request; undefined where nobody is signed in. @throws KontorError */
export async function accessToken(): Promise<string | undefined> {
  if (held === undefined || held.untilMs - performance.now() < EARLY_MS) await renew();
  return held?.token;
}

/** @throws KontorError for wrong credentials, too many tries, or a service that is away */
export async function signIn(email: string, password: string): Promise<void> {
  const tokens = await inTurn(() => ask(PATH, 'POST', { email, password }));
  if (tokens === null) return;
  tabs.postMessage('in');
  keep(tokens);
}

/** Ends the session for all tabs. @throws KontorError where the service could not be told */
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

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);
