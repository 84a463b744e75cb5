/** Makes text safe to store and display: removes secrets, escapes control characters, and truncates it. */
export type Redact = (text: string, maxLength: number, options?: { readonly lines?: boolean }) => string;

/**
 * Longer input is truncated first. The limit is far above the stored length, so that a secret split by the truncation
 * is not stored.
 */
export const MAX_RAW_LENGTH = 8_000;
/** Shorter secrets would match inside ordinary words. */
const MIN_SECRET_LENGTH = 6;
const HIDDEN = '***';

const SECRET_NAME =
  '(?:pass(?:word|wd|phrase)|pwd|secret|api[-_]?key|private[-_]?key|integration[-_]key|token|authorization|credentials?)';

/** Secret patterns, most specific first. Repetitions are bounded or end at the first character outside their class. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, HIDDEN],
  // Credentials in a URL.
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,2000}@/gi, `$1${HIDDEN}@`],
  // JSON Web Tokens and the service's own secrets: integration keys, refresh tokens, password hashes.
  [/\beyJ[\w-]{6,}\.[\w-]*(?:\.[\w-]*){0,3}/g, HIDDEN],
  [/\bkontor_[\w-]{20,}/g, `kontor_${HIDDEN}`],
  [/([\da-f]{12}\.)[\w-]{43}(?![\w-])/g, `$1${HIDDEN}`],
  [/\$(?:argon2\w{0,3}|2[abxy])\$[^\s"']+/g, HIDDEN],
  [/\b(bearer|basic)\s{1,5}[\w.~+/-]{8,}=*/gi, `$1 ${HIDDEN}`],
  // The private parameter of a JSON Web Key.
  [/(["']d["']\s{0,5}:\s{0,5}["'])[\w-]+/g, `$1${HIDDEN}`],
  // Values of members whose names suggest a secret.
  [
    new RegExp(
      `([\\w-]{0,20}${SECRET_NAME}[\\w-]{0,20}["']?\\s{0,5}[:=]\\s{0,5})(?:"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|[^\\s,;&)}\\]"']+)`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
];

/** Control characters, unpaired surrogates, invisible characters, and characters that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (character: string): string =>
  ESCAPES[character] ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1);
  // A surrogate pair must not be split.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/**
 * Creates a redactor. It hides `secrets` (those in the settings) wherever they occur. It also hides all text that looks
 * like a secret, so it may hide too much. If `lines` is true, line breaks are preserved.
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
