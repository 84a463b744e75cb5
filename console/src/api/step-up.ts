import { useSyncExternalStore } from 'react';

type Settle = (isVerified: boolean) => void;

let pending: { readonly promise: Promise<boolean>; readonly settle: Settle } | undefined;
const listeners = new Set<() => void>();

function become(next: typeof pending): void {
  pending = next;
  for (const listener of listeners) listener();
}

/** Asks users to prove their identity. Concurrent requests share one dialog. Resolves to false if the user declines. */
export function askStepUp(): Promise<boolean> {
  if (pending) return pending.promise;
  let resolve: Settle = () => undefined;
  const promise = new Promise<boolean>((settle) => {
    resolve = settle;
  });
  const settle = (isVerified: boolean): void => {
    become(undefined);
    resolve(isVerified);
  };
  become({ promise, settle });
  return promise;
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns the function that resolves the open prompt, or undefined if no prompt is open. */
export const useStepUp = (): Settle | undefined => useSyncExternalStore(subscribe, () => pending?.settle);
