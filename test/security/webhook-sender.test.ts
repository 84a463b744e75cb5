import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/adapters/system-time.js';
import { WebhookKeys } from '../../src/security/webhook-keys.js';
import { WebhookSender, type WebhookSenderOptions } from '../../src/security/webhook-sender.js';
import { asLookup, CountingListener } from '../support/counting-listener.js';
import { verified, WebhookReceiver } from '../support/webhook-receiver.js';

const clock = new SystemClock();
const message = { id: 'message-1', body: '{"data":"Ünïcode"}' };

let directory: string;
let keys: WebhookKeys;
let receiver: WebhookReceiver;
let listener: CountingListener;
const senders: WebhookSender[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-hooks-'));
  keys = await WebhookKeys.open(directory);
  receiver = await WebhookReceiver.start();
  listener = await CountingListener.start();
});
beforeEach(() => {
  listener.connections = 0;
});
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close();
});
afterAll(async () => {
  listener.close();
  await receiver.close();
  await rm(directory, { recursive: true });
});

function senderWith(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const sender = new WebhookSender({ clock, keys, allowPrivate: true, ...options });
  senders.push(sender);
  return sender;
}
const secret = (): string => keys.secretOf({ tenantId: 't', webhookId: 'w', secretId: 's' });
const sendTo = (path: string, options: Partial<WebhookSenderOptions> = {}) =>
  senderWith(options).send({ url: receiver.urlOf(path), secrets: [secret()] }, message);

describe('A message to a webhook', () => {
  test('is signed, whatever characters it contains', async () => {
    expect(await sendTo('/signed')).toMatchObject({ status: 204, code: null });
    const [one] = receiver.received;
    expect(one && verified(one, secret())).toEqual({ data: 'Ünïcode' });
    expect(one?.headers).toMatchObject({ 'webhook-id': 'message-1', 'user-agent': 'Kontor' });
  });

  test.each([
    [500, 'HTTP_500'],
    [410, 'HTTP_410'],
    [301, 'HTTP_301'],
    [308, 'HTTP_308'],
  ])('that gets the status %i fails with the code %s, and no redirect is followed', async (status, code) => {
    const location = receiver.urlOf('/elsewhere');
    receiver.answer = () => ({ status, headers: { location } });
    expect(await sendTo('/moved')).toMatchObject({ status, code });
    expect(receiver.received.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  test('keeps only the beginning of a long response, without control characters', async () => {
    receiver.answer = () => ({ status: 500, body: `\u0000${'x'.repeat(60_000)}` });
    const { body } = await sendTo('/long');
    expect(body).toBe(`\ufffd${'x'.repeat(1_023)}`);
  });

  test('honors the retry delay of the receiver', async () => {
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
    expect(await sendTo('/busy')).toMatchObject({ code: 'HTTP_429', afterMs: 120_000 });
  });

  test('times out if the receiver does not respond', async () => {
    receiver.answer = () => 'hang';
    expect(await sendTo('/hanging', { timeoutMs: 50 })).toMatchObject({ status: null, code: 'TIMED_OUT' });
  });

  test.each([
    ['a name that resolves to a private address', 'https://receiver.test', asLookup('127.0.0.1')],
    [
      'a name with one private address among public ones',
      'https://receiver.test',
      asLookup('93.184.216.34', '10.0.0.1'),
    ],
    ['a private address', 'https://127.0.0.1', undefined],
    ['plain http', 'http://receiver.test', asLookup('93.184.216.34')],
  ])('is not sent to %s', async (_, origin, lookup) => {
    const sender = senderWith({ allowPrivate: false, lookup });
    const url = `${origin}:${listener.port}/`;
    expect(await sender.send({ url, secrets: [secret()] }, message)).toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' });
    expect(listener.connections).toBe(0);
  });
});

describe('The secrets of webhooks', () => {
  const name = { tenantId: 't', webhookId: 'w', secretId: 's' };

  test('derive from a key that only the account of the service can read, and stay the same', async () => {
    expect((await stat(join(directory, 'webhook-key'))).mode & 0o777).toBe(0o600);
    expect((await WebhookKeys.open(directory)).secretOf(name)).toBe(keys.secretOf(name));
    const text = await readFile(join(directory, 'webhook-key'), 'utf8');
    expect((await WebhookKeys.open(tmpdir(), text)).fingerprint).toBe(keys.fingerprint);
  });

  test.each([{ tenantId: 'u' }, { webhookId: 'v' }, { secretId: 'r' }])('differ for %j', (other) => {
    expect(keys.secretOf({ ...name, ...other })).not.toBe(keys.secretOf(name));
  });

  test('cannot derive from a damaged key, which the error does not reveal', async () => {
    const damaged = await mkdtemp(join(tmpdir(), 'kontor-hooks-'));
    await writeFile(join(damaged, 'webhook-key'), 'not a key');
    await expect(WebhookKeys.open(damaged)).rejects.toThrow(/^WEBHOOK_KEY is not a key of 32 bytes in base64\.$/);
    await rm(damaged, { recursive: true });
  });
});
