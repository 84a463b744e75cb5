import { execFile } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SignedCheckpoint } from '../../src/aggregates/integrity.aggregate.js';
import { TREE_STREAM } from '../../src/integrity/tree-follower.js';
import { WITNESS } from '../../src/integrity/witness.js';
import { IntegrityKeys, openNote, readVerifiers } from '../../src/security/integrity-keys.js';
import { backupOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { forgeHistory } from '../support/forged-history.js';
import { isConsistent } from '../support/merkle-proofs.js';
import { MetricsText } from '../support/metrics-text.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { WebhookReceiver, type HookReply } from '../support/webhook-receiver.js';

const ROOT = join(import.meta.dirname, '../..');
const PATIENCE_MS = 20_000;
const ACCEPTED = { status: 204 } as const;

let receiver: WebhookReceiver;
let service: TestService;
let books: Books;
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  service = await TestService.start({
    environment: { INTEGRITY_CHECKPOINT_SECONDS: '1', INTEGRITY_WITNESS_URL: receiver.urlOf('/witness') },
  });
  books = await service.openBooks();
});
afterEach(async () => {
  await service.close();
  await receiver.close();
});

/** Returns the notes that the witness has accepted, in order of acceptance. */
const held = (): string[] => receiver.received.filter(({ status }) => status < 300).map(({ body }) => body);
const signed = async (): Promise<string[]> => {
  const { events } = await service.service.engines.events.readStream(TREE_STREAM);
  return events.map(({ data }) => (data as SignedCheckpoint).note);
};
let sales = 0;
/** Appends events until the history has `count` more checkpoints. */
async function sign(count: number): Promise<void> {
  const goal = (await signed()).length + count;
  await eventually(async () => {
    sales += 1;
    await service.sell(books.partner, saleOf(`S-${sales}`));
    return (await signed()).length >= goal;
  }, PATIENCE_MS);
}
/** Resolves when the witness has accepted every checkpoint of the history. */
const delivered = (): Promise<unknown> =>
  eventually(
    async () => isDeepStrictEqual(held(), await signed()),
    PATIENCE_MS,
    () => `${held().length} checkpoints are held`,
  );

test('The witness receives every checkpoint in order, and each verifies with the public key', async () => {
  await sign(3);
  await delivered();
  const { publicKey } = await IntegrityKeys.open(service.directory);
  const heads = held().map((note) => openNote(note, readVerifiers(publicKey, 'the test')));
  expect(heads.length).toBeGreaterThanOrEqual(3);
  expect(heads.map(({ size }) => size)).toEqual(heads.map(({ size }) => size).toSorted((a, b) => a - b));
  expect(receiver.received[0]?.headers['content-type']).toMatch('text/plain');
  await eventually(async () => (await service.queue(WITNESS))?.lag === 0, PATIENCE_MS);
});

const faults: [string, HookReply][] = [
  ['answers 500', { status: 500 }],
  ['does not answer', 'hang'],
];
test.each(faults)('While the witness %s, requests succeed, and it receives all checkpoints later', async (_, fault) => {
  await sign(1);
  await delivered();
  const before = held().length;
  receiver.answer = () => fault;
  // The service must book the sales even though the witness accepts no checkpoint.
  await sign(3);
  expect(held()).toHaveLength(before);
  const behind = await eventually(async () => {
    const found = await service.queue(WITNESS);
    return found?.lag ? found : undefined;
  }, PATIENCE_MS);
  expect(behind).toMatchObject({ kind: 'integrity' });
  const metrics = new MetricsText((await service.get('/metrics')).text);
  expect(metrics.value('kontor_subscriber_lag_positions', { subscriber: WITNESS })).toBeGreaterThan(0);

  receiver.answer = () => ACCEPTED;
  await delivered();
  expect(held().length).toBeGreaterThanOrEqual(before + 3);
});

test('A restart during an outage of the witness loses no checkpoint and repeats none', async () => {
  await sign(1);
  await delivered();
  receiver.answer = () => ({ status: 500 });
  await sign(2);
  await service.restart();
  await sign(1);
  receiver.answer = () => ACCEPTED;
  await delivered();
  await service.restart();
  await sign(1);
  await delivered();
});

test('A history that was rewritten, even with the key, contradicts the checkpoints of the witness', async () => {
  await sign(2);
  await delivered();
  const notes = join(service.directory, 'witness.ndjson');
  const lines = held().map((note) => JSON.stringify({ note, size: 1, rootHash: '', timestamp: 'the witness' }));
  await writeFile(notes, `${lines.join('\n')}\n`);
  // This witness requests proof that a checkpoint extends the last checkpoint that it has accepted.
  const facts = (note: string) => {
    const { size, root } = openNote(note);
    return { size, rootHash: root.toString('hex') };
  };
  const from = facts(held().at(-1) ?? '');
  receiver.answer = async (_, note) => {
    const to = facts(note);
    if (to.size < from.size) return { status: 409 };
    const path = `/api/platform/integrity/proofs?from=${from.size}&to=${to.size}`;
    const proof = await service.get(path, await service.operator()).catch(() => undefined);
    // No proof is available while the service restarts or rebuilds its tree.
    if (proof?.status !== 200) return { status: 503 };
    const { hashes } = proof.data as { hashes: string[] };
    return isConsistent({ from, to }, hashes) ? ACCEPTED : { status: 409 };
  };
  await sign(1);
  await delivered();

  // Removes all tree data from DATA_DIR, so that the service signs the forged history.
  const target = 5;
  await service.restart(async () => {
    forgeHistory(service.directory, (events) =>
      events
        .filter(({ stream }) => stream !== TREE_STREAM)
        .map((event, at) => (at === target ? { ...event, data: event.data.replace('{', '{"forged":1,') } : event)),
    );
    await rm(join(service.directory, 'checkpoints'), { recursive: true });
    for (const name of await readdir(service.directory))
      if (name.startsWith('models.sqlite')) await rm(join(service.directory, name));
  });
  await eventually(
    () => service.complaints.includes('the witness contradicts the history'),
    PATIENCE_MS,
    () => service.complaints.join('; '),
  );

  const backup = await backupOf(service.service.engines.events, join(service.directory, 'backups'));
  const verify = (...options: string[]): Promise<string> =>
    new Promise((resolve) => {
      const env = { ...process.env, DATA_DIR: service.directory };
      execFile(process.execPath, [join(ROOT, 'dist/verify.js'), backup, ...options], { env }, (_, out, err) => {
        resolve(out + err);
      });
    });
  expect(await verify()).toMatch('checkpoints match');
  expect(await verify('--checkpoint', notes)).toMatch(/differ from those that the checkpoint of the witness/);
});
