import { useRef } from 'react';

/** Browsers do not provide `randomUUID` over plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

type Keys = {
  /**
   * Returns the header for a request that creates a record. The key changes only if the body changes, so a retry does
   * not create a duplicate.
   */
  readonly headerFor: (body: object) => { 'Idempotency-Key': string };
  /** Must be called after success, so that a new request with the same body creates another record. */
  readonly forget: () => void;
};

export function useIdempotency(): Keys {
  const attempt = useRef({ body: '', key: '' });
  return {
    headerFor: (body) => {
      const text = JSON.stringify(body);
      if (attempt.current.body !== text) attempt.current = { body: text, key: randomKey() };
      return { 'Idempotency-Key': attempt.current.key };
    },
    forget: () => {
      attempt.current = { body: '', key: '' };
    },
  };
}
