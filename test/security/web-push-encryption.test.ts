import { createECDH, randomBytes } from 'node:crypto';
import { encryptedFor, isOnCurve, MAX_MESSAGE_BYTES } from '../../src/security/web-push-encryption.js';
import { Browser } from '../support/push-service.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

test('The example of RFC 8291 is reproduced byte for byte', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const receiver = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const message = Buffer.from('When I grow up, I want to be a watermelon');
  const body = encryptedFor(receiver, message, { sender, salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') });
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl' +
      '7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('A message fits into a record, is unique, and readable only by its browser', () => {
  const [browser, another] = [new Browser('https://push.test/1'), new Browser('https://push.test/2')];
  const longest = JSON.stringify({ body: 'x'.repeat(MAX_MESSAGE_BYTES - 11) });
  const message = Buffer.from(longest);
  expect(message).toHaveLength(MAX_MESSAGE_BYTES);
  const [once, again] = [encryptedFor(browser.keys, message), encryptedFor(browser.keys, message)];
  expect(once).toHaveLength(4_096);
  expect(once.equals(again)).toBe(false);
  expect(JSON.stringify(browser.read({ body: once }))).toBe(longest);
  expect(() => another.read({ body: once })).toThrow();
  expect(() => encryptedFor(browser.keys, Buffer.concat([message, Buffer.from('x')]))).toThrow(RangeError);
});

test('A key that is not a point of the curve is detected', () => {
  const { keys } = new Browser('https://push.test/1');
  expect(isOnCurve(keys.p256dh)).toBe(true);
  const random = Buffer.concat([Buffer.from([4]), randomBytes(63), Buffer.from([0])]);
  const off = Buffer.from(bytes(keys.p256dh));
  off[64] = (off[64] ?? 0) ^ 1;
  for (const point of [off, random, Buffer.alloc(65), Buffer.from([4])])
    expect(isOnCurve(point.toString('base64url'))).toBe(false);
});
