import { randomBytes } from 'node:crypto';
import { hashOfSecret } from './refresh-tokens.js';
import { base32 } from './totp.js';

/** 80 bits, so a plain digest suffices. They give 16 letters and digits. */
const BYTES = 10;

/** A new code in groups of four, such as `ABCD-EFGH-2345-WXYZ`. */
export const newRecoveryCode = (): string => (base32(randomBytes(BYTES)).match(/.{4}/g) ?? []).join('-');

/** Hash of a code, which may be typed in any case and with any separators. */
export const hashOfRecoveryCode = (code: string): string => hashOfSecret(code.toUpperCase().replace(/[^A-Z2-7]/g, ''));
