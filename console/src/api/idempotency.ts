import { useRef } from 'react';

/** Browsers do not provide `randomUUID` over plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Header for a request that creates a record. */
export type IdempotencyHeader = { readonly 'Idempotency-Key': string };

type Keys = {
  /** Returns the header for an input. The key changes only if the input changes, so a retry creates no duplicate. */
  readonly headerFor: (input: readonly unknown[]) => IdempotencyHeader;
  /** Must be called after success, so that the same input creates another record. */
  readonly forget: () => void;
};

export function useIdempotency(): Keys {
  const attempt = useRef({ input: '', key: '' });
  return {
    headerFor: (input) => {
      const text = JSON.stringify(input);
      if (attempt.current.input !== text) attempt.current = { input: text, key: randomKey() };
      return { 'Idempotency-Key': attempt.current.key };
    },
    forget: () => {
      attempt.current = { input: '', key: '' };
    },
  };
}
