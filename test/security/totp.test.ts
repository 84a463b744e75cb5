import fc from 'fast-check';
import { hashOfRecoveryCode, newRecoveryCode } from '../../src/security/recovery-codes.js';
import { base32, codeAt, newTotpSecret, otpauthUri, stepAt, stepOfCode } from '../../src/security/totp.js';

const RFC_SECRET = Buffer.from('12345678901234567890').toString('base64url');

describe('Codes of authenticator apps', () => {
  test('equal the test vectors of RFC 6238, appendix B, in their last six digits', () => {
    const vectors: [seconds: number, code: string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ];
    for (const [seconds, code] of vectors)
      expect([seconds, codeAt(RFC_SECRET, stepAt(seconds * 1_000))]).toEqual([seconds, code.slice(-6)]);
  });

  test('equal the test vectors of RFC 4226, appendix D', () => {
    const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');
    expect(codes.map((_, counter) => codeAt(RFC_SECRET, counter))).toEqual(codes);
  });

  test('fit their own time step and one step to either side, and no others', () => {
    const now = { min: 120_000, max: 4_000_000_000_000 };
    fc.assert(
      fc.property(fc.integer(now), fc.integer({ min: -3, max: 3 }), (nowMs, drift) => {
        const secret = newTotpSecret();
        const step = stepAt(nowMs) + drift;
        const code = codeAt(secret, step);
        const others = [-1, 0, 1].map((other) => codeAt(secret, stepAt(nowMs) + other));
        // One code in 300,000 is also valid for another time step.
        fc.pre(others.filter((other) => other === code).length === (Math.abs(drift) <= 1 ? 1 : 0));
        expect(stepOfCode(secret, code, nowMs)).toBe(Math.abs(drift) <= 1 ? step : undefined);
      }),
    );
  });

  test('are rejected without six digits', () => {
    for (const code of ['', '1', '1234567', 'abcdef', '１２３４５６'])
      expect([code, stepOfCode(RFC_SECRET, code, 59_000)]).toEqual([code, undefined]);
  });
});

test('base32 equals the test vectors of RFC 4648 without padding', () => {
  const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
  for (const [text, encoded] of Object.entries(vectors)) expect(base32(Buffer.from(text))).toBe(encoded);
});

test('the address for a QR code contains the account and the secret', () => {
  expect(otpauthUri(RFC_SECRET, 'ann+1@acme.test')).toBe(
    'otpauth://totp/Kontor:ann%2B1%40acme.test?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Kontor' +
      '&algorithm=SHA1&digits=6&period=30',
  );
});

test('recovery codes are distinct, and may be typed in any case and with any separators', () => {
  const codes = Array.from({ length: 1_000 }, newRecoveryCode);
  expect(new Set(codes).size).toBe(1_000);
  for (const code of codes) {
    expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    expect(hashOfRecoveryCode(` ${code.toLowerCase().replaceAll('-', ' ')}`)).toBe(hashOfRecoveryCode(code));
  }
});
