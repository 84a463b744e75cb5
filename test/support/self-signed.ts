import { createSign, generateKeyPairSync } from 'node:crypto';

/**
 * A self-signed certificate for local addresses and names, and its key. Clients do not trust the certificate by
 * default.
 */
export type SelfSigned = { readonly cert: string; readonly key: string };

// The subset of DER (X.690) that a certificate (RFC 5280) requires.
const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const ALTERNATIVE_NAMES = oid('551d11');
const BASIC_CONSTRAINTS = oid('551d13');
const isCa = sequence(
  BASIC_CONSTRAINTS,
  der(0x01, Buffer.from([0xff])),
  der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
);

export function selfSigned(names: readonly string[], addresses: readonly string[]): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, 'Push service of a test'))));
  const alternatives = sequence(
    ...names.map((each) => text(0x82, each)),
    ...addresses.map((each) => der(0x87, Buffer.from(each.split('.').map(Number)))),
  );
  const extensions = sequence(isCa, sequence(ALTERNATIVE_NAMES, der(0x04, alternatives)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    sequence(text(0x17, '200101000000Z'), text(0x17, '491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const bytes = sequence(body, ECDSA_WITH_SHA256, bits(signature)).toString('base64');
  const lines = bytes.match(/.{1,64}/g)?.join('\n') ?? '';
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
