/** Makes a text fit to be kept and shown: without secrets, without what would break a line or a terminal, and short. */
export type Redact = (text: string, maxLength: number, options?: { readonly lines?: boolean }) => string;

/** What is longer is not looked at. Far more than is ever kept, so that no half of a secret at its end stays. */
export const MAX_RAW_LENGTH = 8_000;
/** A shorter one would be found in every second word. */
const MIN_SECRET_LENGTH = 6;
const HIDDEN = '***';

const SECRET_NAME =
  '(?:pass(?:word|wd|phrase)|pwd|secret|api[-_]?key|private[-_]?key|integration[-_]key|token|authorization|credentials?)';

/** Forms of secrets, most telling first; every repetition is bounded or ends at the first character that is not its own. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, HIDDEN],
  // The user and password of an address.
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,2000}@/gi, `$1${HIDDEN}@`],
  // JSON Web Tokens, and what the service itself gives out: integration keys, refresh tokens, hashes of passwords.
  [/\beyJ[\w-]{6,}\.[\w-]*(?:\.[\w-]*){0,3}/g, HIDDEN],
  [/\bkontor_[\w-]{20,}/g, `kontor_${HIDDEN}`],
  [/([\da-f]{12}\.)[\w-]{43}(?![\w-])/g, `$1${HIDDEN}`],
  [/\$(?:argon2\w{0,3}|2[abxy])\$[^\s"']+/g, HIDDEN],
  [/\b(bearer|basic)\s{1,5}[\w.~+/-]{8,}=*/gi, `$1 ${HIDDEN}`],
  // The private part of a JSON Web Key.
  [/(["']d["']\s{0,5}:\s{0,5}["'])[\w-]+/g, `$1${HIDDEN}`],
  // Whatever is named as a secret.
  [
    new RegExp(
      `([\\w-]{0,20}${SECRET_NAME}[\\w-]{0,20}["']?\\s{0,5}[:=]\\s{0,5})(?:"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|[^\\s,;&)}\\]"']+)`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
];

/** Control characters, halves of surrogate pairs, and what is not seen or turns the writing round. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (character: string): string =>
  ESCAPES[character] ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1);
  // Not within a pair of surrogates.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/**
 * `secrets`: those of the settings, hidden wherever they stand. What looks like a secret is hidden, too, so that more is
 * lost now and then than had to be. With `lines` line breaks stay.
 */
export function redactor(secrets: readonly string[] = []): Redact {
  const known = [...new Set(secrets)]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text, maxLength, { lines = false } = {}) => {
    let clean = text.slice(0, MAX_RAW_LENGTH);
    for (const secret of known) clean = clean.replaceAll(secret, HIDDEN);
    for (const [form, replacement] of FORMS) clean = clean.replace(form, replacement);
    clean = clean.replace(UNPRINTABLE, (character) => (lines && character === '\n' ? character : escaped(character)));
    return cut(clean, maxLength);
  };
}
