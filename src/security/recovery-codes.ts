import { randomBytes } from 'node:crypto';
import { hashOfSecret } from './refresh-tokens.js';
import { base32 } from './totp.js';

/** A code has 80 bits (16 letters and digits), so a plain digest is sufficient. */
const BYTES = 10;

/** Returns a new code in groups of four characters, such as `ABCD-EFGH-2345-WXYZ`. */
export const newRecoveryCode = (): string => (base32(randomBytes(BYTES)).match(/.{4}/g) ?? []).join('-');

/** Returns the hash of a code, which may be entered in any case and with any separators. */
export const hashOfRecoveryCode = (code: string): string => hashOfSecret(code.toUpperCase().replace(/[^A-Z2-7]/g, ''));
