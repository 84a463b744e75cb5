import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The parameters that every authenticator app supports (RFC 6238): HMAC-SHA-1, 30 seconds, six digits. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** Accepted clock skew, in time steps (RFC 6238, section 5.2). */
const DRIFTS = [0, -1, 1];

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes in base32 without padding (RFC 4648, section 6). */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32[parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/** Returns a new random secret in base64url. */
export const newTotpSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the URI that authenticator apps read from a QR code. */
export function otpauthUri(secret: string, email: string): string {
  const label = `Kontor:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(Buffer.from(secret, 'base64url'))}&issuer=Kontor&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1_000}`;
}

/** Returns the code for a time step (RFC 4226, section 5.3). */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', Buffer.from(secret, 'base64url')).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

export const stepAt = (nowMs: number): number => Math.floor(nowMs / STEP_MS);

/**
 * Returns the time step of a code if it is at most one step before or after the current one, or undefined otherwise.
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | undefined {
  const given = Buffer.from(code);
  return DRIFTS.map((drift) => stepAt(nowMs) + drift).find((step) => {
    const expected = Buffer.from(codeAt(secret, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
