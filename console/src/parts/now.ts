import { useSyncExternalStore } from 'react';

// A single timer updates all relative times on a page, so that they change together.
const EVERY_MS = 5_000;
let nowMs = Date.now();
let timer: number | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    nowMs = Date.now();
    timer = window.setInterval(() => {
      nowMs = Date.now();
      for (const each of listeners) each();
    }, EVERY_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the device's time, which may be a few seconds old. */
export const useNowMs = (): number => useSyncExternalStore(subscribe, () => nowMs);
