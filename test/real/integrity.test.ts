import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { call, KontorProcess, openBooks, PLAIN, postSale, ROOT, until, withDirectory } from '../e2e/kontor-process.js';
import { forgeHistory } from '../support/forged-history.js';
import { isConsistent, isIncluded } from '../support/merkle-proofs.js';
import { Servers } from '../support/servers.js';

type Checkpoint = { readonly note: string; readonly size: number; readonly rootHash: string };
type Inclusion = { index: number; size: number; leafHash: string; hashes: string[]; checkpoint: string };
type Evidence = { readonly publicKey: string; readonly uncovered: number; readonly events: readonly unknown[] };
type Execution = { readonly id: string; readonly status: string; readonly error: string | null };
type Job = { readonly name: string; readonly lastExecution: Execution | null };

const ROUTES = '/api/platform/integrity';
const JOB = 'integrity-verify';
const SALES = 20;
const WITHIN_MS = 30_000;

let servers: Servers;
beforeAll(async () => {
  servers = await Servers.start();
});
afterAll(() => servers.dispose());

/** Calls a running service as an operator. */
class Observer {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  get<T>(path: string): Promise<T> {
    return call<{ data: T }>(`${this.url}${path}`, { token: this.token }).then(({ data }) => data);
  }

  /** Resolves with the first checkpoint that covers at least `size` events. */
  async checkpoint(size = 1): Promise<Checkpoint> {
    const found = await until(
      () => this.get<Checkpoint>(`${ROUTES}/checkpoint`).catch(() => undefined),
      (checkpoint) => (checkpoint?.size ?? 0) >= size,
      WITHIN_MS,
    );
    return found as Checkpoint;
  }

  async isExtended(from: Checkpoint, to: Checkpoint): Promise<boolean> {
    const { hashes } = await this.get<{ hashes: string[] }>(`${ROUTES}/proofs?from=${from.size}&to=${to.size}`);
    return isConsistent({ from, to }, hashes);
  }

  /** Runs the nightly job and returns its outcome. */
  async verify(): Promise<Execution> {
    const last = async () =>
      (await this.get<Job[]>('/api/platform/jobs')).find(({ name }) => name === JOB)?.lastExecution;
    const before = await last();
    await call(`${this.url}/api/platform/jobs/trigger`, { token: this.token, body: { jobName: JOB } });
    const outcome = await until(last, (one) => !!one && one.id !== before?.id && one.status !== 'RUNNING', WITHIN_MS);
    return outcome as Execution;
  }

  /** Returns the first record in a list. */
  async first(path: string): Promise<{ readonly id: string }> {
    const { items } = await call<{ items: { id: string }[] }>(`${this.url}${path}`, { token: this.token });
    if (!items[0]) throw new Error(`${path} is empty`);
    return items[0];
  }

  /** Resolves with an evidence bundle once its checkpoint covers all of its events. */
  evidence(entity: string, id: string, tenantId: string): Promise<Evidence> {
    const path = `${this.url}${ROUTES}/evidence?entity=${entity}&id=${id}&tenantId=${tenantId}`;
    return until(
      () => call<Evidence>(path, { token: this.token }),
      ({ uncovered }) => uncovered === 0,
      WITHIN_MS,
    );
  }
}

/** Runs the verification script on a bundle and returns its output. */
async function checked(directory: string, bundle: Evidence): Promise<string> {
  const file = join(directory, 'evidence.json');
  await writeFile(file, JSON.stringify(bundle));
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, 'scripts/verify-evidence.mjs'), file, bundle.publicKey], (_, out, err) => {
      resolve(out + err);
    });
  });
}

test(
  'With EventStoreDB and MongoDB, the history has checkpoints and proofs, survives a restart, and reveals changes',
  () =>
    withDirectory(async (directory) => {
      const settings = { ...PLAIN, ...servers.settings, JOB_SCHEDULES: 'off', INTEGRITY_CHECKPOINT_SECONDS: '1' };
      const first = await KontorProcess.ready(directory, settings);
      let url = await first.url();
      const books = await openBooks(url);
      let observer = new Observer(url, books.operator);
      const before = await observer.checkpoint();
      for (let sale = 0; sale < SALES; sale += 1) await postSale(url, books, `S-${sale}`);
      const after = await observer.checkpoint(before.size + SALES);
      expect(await observer.isExtended(before, after)).toBe(true);
      expect(await observer.isExtended({ ...before, rootHash: after.rootHash }, after)).toBe(false);

      const { id: eventId } = await observer.first('/api/platform/audit-logs?pageNumber=2&pageSize=1');
      // The latest checkpoint may not cover the entry yet.
      const proof = await until(
        () => observer.get<Inclusion>(`${ROUTES}/proofs?eventId=${eventId}`).catch(() => undefined),
        (found) => found !== undefined,
        WITHIN_MS,
      );
      const { index, size, leafHash: leaf, hashes, checkpoint } = proof as Inclusion;
      const root = Buffer.from(checkpoint.split('\n')[2] ?? '', 'base64').toString('hex');
      expect(isIncluded({ index, size, leaf, root }, hashes)).toBe(true);
      expect(isIncluded({ index: index + 1, size, leaf, root }, hashes)).toBe(false);

      const { id: tenantId } = await observer.first('/api/platform/tenants?pageNumber=1&pageSize=1');
      const bundle = await observer.evidence('tenant', tenantId, PLATFORM_TENANT);
      expect(bundle.events.length).toBeGreaterThan(0);
      expect(await checked(directory, bundle)).toMatch(/^VALID: the checkpoint over \d+ events covers/);
      expect(await observer.verify()).toMatchObject({ status: 'SUCCEEDED' });

      // The tree must continue to grow after the service and the event store have been restarted.
      await first.stopCleanly();
      await servers.eventStore.restart();
      const second = await KontorProcess.ready(directory, settings);
      url = await second.url();
      observer = new Observer(url, books.operator);
      await postSale(url, books, 'S-restarted');
      const restarted = await observer.checkpoint(after.size + 1);
      expect(await observer.isExtended(after, restarted)).toBe(true);
      await second.stopCleanly();

      // Simulates an attacker who has access to the server's files, changes an amount, and recomputes all checksums.
      await servers.eventStore.stop();
      let changed = '';
      forgeHistory(servers.eventStore.directory, (events) =>
        events.map((event) => {
          if (changed !== '' || event.type !== 'SaleAccepted') return event;
          changed = `${event.type}, revision ${event.revision} of ${event.stream}`;
          return { ...event, data: event.data.replace('"50.00"', '"51.00"') };
        }),
      );
      await servers.eventStore.start();
      const third = await KontorProcess.ready(directory, settings);
      observer = new Observer(await third.url(), books.operator);
      const outcome = await observer.verify();
      expect(outcome).toMatchObject({ status: 'FAILED' });
      expect(outcome.error).toMatch(`(${changed}) was changed.`);
      await third.stopCleanly();
    }),
  240_000,
);
