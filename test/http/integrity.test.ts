import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leafHash } from '../../src/integrity/merkle.js';
import { isConsistent, isIncluded } from '../support/merkle-proofs.js';
import { eventually } from '../support/eventually.js';
import { MetricsText } from '../support/metrics-text.js';
import { saleOf, TestService, type Books } from '../support/service.js';

type Checkpoint = { note: string; size: number; rootHash: string; timestamp: string; position: number };
type Inclusion = { index: number; size: number; leafHash: string; hashes: string[]; checkpoint: string };

type EvidenceEvent = { index: number; leaf: string[] | null };
type Evidence = { publicKey: string; checkpoint: string; uncovered: number; events: EvidenceEvent[] };

const PATIENCE_MS = 20_000;
const ROUTES = '/api/platform/integrity';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start({ environment: { INTEGRITY_CHECKPOINT_SECONDS: '1' } });
  books = await service.openBooks();
});
afterAll(() => service.close());

const get = async (path: string) => service.get(`${ROUTES}${path}`, await service.operator());
/** Resolves with the first checkpoint that covers more than the given number of events. */
const checkpointBeyond = (size: number): Promise<Checkpoint> =>
  eventually(async () => {
    const reply = await get('/checkpoint');
    const found = reply.data as Checkpoint | undefined;
    return reply.status === 200 && found && found.size > size ? found : undefined;
  }, PATIENCE_MS);

test("The tree's position and lag are among the queues and metrics", async () => {
  type Queue = { name: string; kind: string; position: number; head: number; lag: number };
  const queue = await eventually(async () => {
    const { data } = await service.get('/api/platform/redis/queues', await service.operator());
    const found = (data as { queues: Queue[] }).queues.find(({ name }) => name === 'integrity');
    return found?.lag === 0 && found.position >= found.head ? found : undefined;
  }, PATIENCE_MS);
  expect(queue.kind).toBe('integrity');
  const labels = { subscriber: 'integrity', kind: 'integrity' };
  const metrics = new MetricsText((await service.get('/metrics')).text);
  expect(metrics.value('kontor_subscriber_position', labels)).toBeGreaterThanOrEqual(queue.position);
  expect(metrics.value('kontor_subscriber_events_handled_total', labels)).toBeGreaterThan(0);
});

describe('The history', () => {
  test('is covered by a signed checkpoint, which is also in the file of its day', async () => {
    const found = await checkpointBeyond(0);
    const [origin, size, root] = found.note.split('\n');
    expect(origin).toMatch(/^kontor\//);
    expect(Number(size)).toBe(found.size);
    expect(Buffer.from(root ?? '', 'base64').toString('hex')).toBe(found.rootHash);
    const folder = join(service.directory, 'checkpoints');
    const lines = async () => {
      const names = await readdir(folder).catch(() => []);
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return texts.join('').split('\n');
    };
    const isPublished = async () =>
      (await lines()).some((line) => line !== '' && (JSON.parse(line) as Checkpoint).note === found.note);
    expect(await eventually(isPublished, PATIENCE_MS)).toBe(true);
  });

  test('proves that a checkpoint covers an event, and that later checkpoints only extend it', async () => {
    const before = await checkpointBeyond(0);
    await service.sell(books.partner, saleOf('S-1'));
    const list = await service.get('/api/platform/audit-logs?pageNumber=1&pageSize=100', await service.operator());
    const { items: entries } = list.body as { items: { id: string }[] };
    const after = await checkpointBeyond(before.size);
    const root = after.rootHash;
    let proved = 0;
    for (const { id } of entries) {
      const reply = await get(`/proofs?eventId=${id}`);
      if (reply.status === 409) continue;
      const { index, size, leafHash: leaf, hashes, checkpoint: note } = reply.data as Inclusion;
      if (note !== after.note) continue;
      expect(isIncluded({ index, size, leaf, root }, hashes)).toBe(true);
      expect(isIncluded({ index, size, leaf: leafHash('another').toString('hex'), root }, hashes)).toBe(false);
      proved += 1;
    }
    expect(proved).toBeGreaterThan(0);
    const { hashes } = (await get(`/proofs?from=${before.size}&to=${after.size}`)).data as { hashes: string[] };
    expect(isConsistent({ from: before, to: after }, hashes)).toBe(true);
    expect(isConsistent({ from: { ...before, rootHash: after.rootHash }, to: after }, hashes)).toBe(false);
  });

  describe('of a record', () => {
    const evidenceOf = async (entity: string, id: string, tenantId: string): Promise<Evidence> => {
      const path = `/evidence?entity=${entity}&id=${id}&tenantId=${tenantId}`;
      return eventually(async () => {
        const reply = await get(path);
        const found = reply.body as Evidence;
        return reply.status === 200 && found.uncovered === 0 ? found : undefined;
      }, PATIENCE_MS);
    };
    /** Runs the verification script on a bundle and returns its output. */
    const checked = async (bundle: Evidence, ...key: string[]): Promise<string> => {
      const file = join(service.directory, 'evidence.json');
      await writeFile(file, JSON.stringify(bundle));
      const script = join(import.meta.dirname, '../../scripts/verify-evidence.mjs');
      return new Promise((resolve) => {
        execFile(process.execPath, [script, file, ...key], (_, out, err) => {
          resolve(out + err);
        });
      });
    };

    test('is proved to others by a file, which one script checks without the service', async () => {
      const { id: tenantId, token } = books.tenant;
      const { id } = await service.post('/api/branches', { code: 'EVI', name: 'Evident' }, token);
      await service.call('PATCH', `/api/branches/${id}`, { token, body: { name: 'More evident' } });
      const bundle = await evidenceOf('branch', id, tenantId);
      expect(bundle.events.map(({ leaf }) => leaf?.[3])).toEqual(['BranchCreated', 'BranchUpdated']);
      expect(await checked(bundle, bundle.publicKey)).toMatch(/^VALID: the checkpoint over \d+ events covers 2 events/);
      const [first, second] = bundle.events as [EvidenceEvent, EvidenceEvent];
      const forged = { ...second, leaf: second.leaf?.map((part) => part.replace('More', 'Less')) ?? null };
      expect(await checked({ ...bundle, events: [first, forged] })).toMatch('does not match its hash');
      const moved = { ...second, index: second.index + 1 };
      expect(await checked({ ...bundle, events: [first, moved] })).toMatch('NOT VALID');
      const unsigned = bundle.checkpoint.replace(/\n\d+\n/, '\n7\n');
      expect(await checked({ ...bundle, checkpoint: unsigned })).toMatch('is not signed with the key');
    });

    test('proves events that contain secrets without showing them', async () => {
      const { items } = (await service.get('/api/users?pageNumber=1&pageSize=1', books.tenant.token)).body as {
        items: [{ id: string }];
      };
      const bundle = await evidenceOf('user', items[0].id, books.tenant.id);
      expect(bundle.events[0]?.leaf).toBeNull();
      expect(JSON.stringify(bundle)).not.toContain('argon2');
      expect(await checked(bundle, bundle.publicKey)).toContain('of them without content');
    });
  });

  test('explains which questions it cannot answer', async () => {
    const { size } = await checkpointBeyond(0);
    const problem = async (path: string) => {
      const { status, body } = await get(path);
      return { status, ...(body as { code: string; message: string }) };
    };
    expect(await problem('/proofs')).toMatchObject({
      status: 400,
      message: expect.stringContaining('Specify either eventId, or from and to.') as string,
    });
    expect(await problem('/proofs?from=2&to=1')).toMatchObject({
      status: 400,
      message: expect.stringContaining('Must not exceed "to".') as string,
    });
    expect(await problem(`/proofs?from=1&to=${size + 1_000}`)).toMatchObject({ status: 400 });
    expect(await problem('/proofs?eventId=0199d3a0-0000-7000-8000-000000000001')).toMatchObject({ status: 404 });
    expect(await problem('/proofs?eventId=x&to=3')).toMatchObject({ status: 400 });
    expect(await problem('/evidence?entity=branch&id=none&tenantId=platform')).toMatchObject({ status: 404 });
  });
});
