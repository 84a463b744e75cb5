import { dictionary } from '@zxcvbn-ts/language-common';
import { z } from 'zod';
import { invalid } from '../eventsourcing/domain-error.js';

const MIN_LENGTH = 10;
const MAX_LENGTH = 128;
/** Shorter local parts, such as `ann`, occur in many passwords by chance. */
const MIN_LOCAL_PART = 4;

const common = new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_LENGTH));

function weaknessOf(password: string): string | undefined {
  if (password.trim() === '') return 'Must not consist of spaces only.';
  if (new Set(password).size === 1) return 'Must not repeat a single character.';
  return common.has(password) ? 'Is one of the most common passwords. Choose another.' : undefined;
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** A plaintext password: only in requests, never in events. Its length counts code points, as in JSON Schema. */
export const Password = z
  .string()
  .normalize('NFC')
  .superRefine((text, context) => {
    const length = Array.from(text).length;
    const isLong = length >= MIN_LENGTH && length <= MAX_LENGTH;
    const message = isLong ? weaknessOf(folded(text)) : 'Must have 10 to 128 characters.';
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ minLength: MIN_LENGTH, maxLength: MAX_LENGTH });

const REVEALED = 'Must not contain the e-mail address or the part of it before the @.';

function isRevealed(password: string, email: string): boolean {
  const [clear, address] = [folded(password), folded(email)];
  const [localPart = ''] = address.split('@');
  return clear.includes(address) || (localPart.length >= MIN_LOCAL_PART && clear.includes(localPart));
}

/** Rejects a password that contains the e-mail address from the same request. */
export const unlikeEmail = z.refine<{ email: string; password: string }>(
  ({ email, password }) => !isRevealed(password, email),
  { path: ['password'], error: REVEALED },
);

/** Applies the same rule to an account's new password. @throws DomainError invalid */
export function ensureUnlike(email: string, newPassword: string): void {
  if (isRevealed(newPassword, email)) throw invalid([{ path: 'newPassword', message: REVEALED }]);
}
