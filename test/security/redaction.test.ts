import { redactor } from '../../src/security/redaction.js';

const redact = redactor(['a-secret-of-the-settings', 'pw']);
const shown = (text: string): string => redact(text, 1_000);

const KEY = `kontor_${'a'.repeat(43)}_${'s'.repeat(32)}`;
const ID = '0199d3a0-0000-7000-8000-000000000001';
const TOKEN = `eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.${'x'.repeat(40)}`;

describe('A text in the error log', () => {
  test.each([
    ['connect to mongodb://admin:hunter2@db:27017/kontor failed', 'connect to mongodb://***@db:27017/kontor failed'],
    ['redis://:p%40ss@cache', 'redis://***@cache'],
    ['nats://token-of-nats@n1,nats://u:p@n2', 'nats://***@n1,nats://***@n2'],
    [`Authorization: Bearer ${TOKEN}`, 'Authorization: *** ***'],
    [`the token ${TOKEN} is not valid`, 'the token *** is not valid'],
    [`key ${KEY} was refused`, 'key kontor_*** was refused'],
    [`refresh ${ID}.${ID}.${'r'.repeat(43)}`, `refresh ${ID}.${ID}.***`],
    [`platform.${ID}.${'r'.repeat(43)}!`, `platform.${ID}.***!`],
    ['basic YWRtaW46aHVudGVyMg==', 'basic ***'],
    ['{"email":"a@b.test","password":"hun\\"ter2"}', '{"email":"a@b.test","password":***}'],
    ["{ newPassword: 'hunter2', name: 'x' }", "{ newPassword: ***, name: 'x' }"],
    ['password=hunter2&user=a', 'password=***&user=a'],
    ['X-Integration-Key: whatever', 'X-Integration-Key: ***'],
    ['apiKey = abc, next', 'apiKey = ***, next'],
    ['hash $argon2id$v=19$m=1,t=2,p=1$c2FsdA$aGFzaA differs', 'hash *** differs'],
    ['{"kty":"OKP","d":"c2VjcmV0","x":"cHVibGlj"}', '{"kty":"OKP","d":"***","x":"cHVibGlj"}'],
    ['-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY----- end', '*** end'],
    ['-----BEGIN EC PRIVATE KEY-----\nMC4C', '***'],
    ['reached a-secret-of-the-settings today', 'reached *** today'],
  ])('does not contain the secrets of %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    'A valid bearer token is required.',
    "Cannot read properties of undefined (reading 'password')",
    'https://example.test/path?mail=a@b.test',
    'The permission users.read is required.',
    'pw',
  ])('is unchanged without secrets: %s', (text) => {
    expect(shown(text)).toBe(text);
  });

  test('contains no line breaks, cursor movements or bidirectional controls', () => {
    expect(shown('a\r\nb\tc\u0000\u001b[31m\u202ed\u2028e\ud800f')).toBe(
      'a\\r\\nb\\tc\\u0000\\u001b[31m\\u202ed\\u2028e\\ud800f',
    );
    expect(redact('at a\nat b\r', 100, { lines: true })).toBe('at a\nat b\\r');
    expect(shown('Grüße, 日本, 😀')).toBe('Grüße, 日本, 😀');
  });

  test('is truncated without leaving part of a secret', () => {
    expect(redact('x'.repeat(50), 10)).toBe('xxxxxxxxx…');
    expect(redact('😀'.repeat(9), 6)).toBe('😀😀…');
    // The first cut, at 8,000 characters, splits this secret, so the redactor no longer recognizes it. The stored text
    // is cut again before the secret begins.
    const text = `${'x '.repeat(3_990)}mongodb://admin:hunter2-and-more-of-it@db`;
    expect(redact(text, 1_000)).not.toContain('hunter');
  });

  test('is redacted quickly, whatever its content', () => {
    for (const text of [
      'a',
      'token',
      '://',
      'eyJ',
      '"',
      '-----BEGIN ',
      'password="\\',
      'bearer ',
      'a-',
      '\u0000',
      '12345678-',
    ]) {
      const startedAtMs = performance.now();
      shown(text.repeat(10_000));
      expect(performance.now() - startedAtMs).toBeLessThan(500);
    }
  });
});
