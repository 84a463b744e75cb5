import { useRef } from 'react';

/** Browsers have no randomUUID over plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

type Keys = {
  /** Header of a creating request. Its key stays the same while the body does, so a retry creates nothing twice. */
  readonly headerFor: (body: object) => { 'Idempotency-Key': string };
  /** Called after success: the same body then creates another record. */
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
