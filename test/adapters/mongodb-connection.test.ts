import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { inspect } from 'node:util';
import type { Document } from 'mongodb';
import { openMongoDb, type MongoDb } from '../../src/adapters/mongodb/read-store.js';
import type { Logger } from '../../src/ports/log.js';
import {
  ReadStoreUnavailable,
  SearchTooBroad,
  tenantScope,
  type AnyTable,
  type ReadModel,
} from '../../src/ports/read-store.js';
import { eventually } from '../support/eventually.js';
import { ReplicaSet } from '../support/replica-set.js';
import { selfSigned } from '../support/self-signed.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const clock = new ShiftedClock();
const scope = tenantScope('0199c0de-0000-7000-8000-000000000001');
const notes: ReadModel<{ text: string }> = {
  name: 'notes',
  version: 1,
  fields: {},
  filters: [],
  order: { fields: [], direction: 'ascending' },
  search: { text: ({ text }) => text },
};
const table: AnyTable = { model: notes, generation: 1 };
const PASSWORD = 'pass-Wörd/?@#';

describe('A connection to MongoDB', () => {
  let set: ReplicaSet;
  let logged: { level: string; fields: object; message: string }[];
  const opened: MongoDb[] = [];
  const at = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message });
  const logger: Logger = { info: at('info'), warn: at('warn'), error: at('error') };
  const open = (url: string, onCommand: (command: Document) => void = () => undefined): MongoDb => {
    const mongo = openMongoDb({ url, clock, logger, timeoutMs: 2_000, onCommand });
    opened.push(mongo);
    return mongo;
  };
  const errors = () => logged.filter(({ level }) => level === 'error');

  beforeEach(async () => {
    logged = [];
    set = await ReplicaSet.start();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((mongo) => mongo.close()));
    await set.close();
  });

  test('takes limits from its URL, but no weaker guarantees', async () => {
    const { reads } = open(
      `${set.url}&readPreference=secondaryPreferred&readConcernLevel=local&w=1&journal=false&wtimeoutMS=1234&appName=books`,
    );
    await reads.prepare([table]);
    await reads.write({
      tables: [{ table, writes: [{ scope, id: 'a', document: { text: 'a' }, position: 1, expected: null }] }],
      checkpoints: [{ key: 'notes', position: 1 }],
    });
    await reads.load(table, [{ scope, id: 'a' }]);
    const found = set.commands.filter((command) => 'find' in command);
    expect(found.length).toBeGreaterThan(0);
    for (const { readConcern, $readPreference } of found) {
      expect([readConcern, $readPreference]).toEqual([{ level: 'majority' }, undefined]);
    }
    const written = set.commands.filter((command) => 'update' in command || 'insert' in command);
    expect(written.length).toBeGreaterThan(1);
    for (const { writeConcern } of written) expect(writeConcern).toMatchObject({ w: 'majority', wtimeout: 1_234 });
  });

  test('has no time limit for building an index', async () => {
    await open(`${set.url}&wtimeoutMS=1234`).reads.prepare([table]);
    const built = set.commands.filter((command) => 'createIndexes' in command);
    expect(built.length).toBeGreaterThan(0);
    for (const { writeConcern } of built) expect(writeConcern).toEqual({ w: 'majority' });
  });

  test('reports a wrong password in one line, without the password', async () => {
    set.refuse = (command) =>
      'saslStart' in command
        ? { code: 18, codeName: 'AuthenticationFailed', errmsg: `Authentication failed for ${PASSWORD}.` }
        : undefined;
    const [hosts = ''] = set.url.slice('mongodb://'.length).split('/');
    const { reads } = open(`mongodb://me:${encodeURIComponent(PASSWORD)}@${hosts}/kontor?replicaSet=model`);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(reads.checkpoint('a')).rejects.toThrow(ReadStoreUnavailable);
    }
    const fault = { setting: 'MONGODB_URL (user, password or authSource)', reason: 'Authentication failed for ***.' };
    expect(reads.fault()).toEqual(fault);
    expect(errors()).toEqual([{ level: 'error', fields: fault, message: expect.any(String) as string }]);
    expect(inspect(logged, { depth: 10 })).not.toMatch(/pass-W|%C3/);
  });

  test('reports a missing permission in one line, only once', async () => {
    const { reads } = open(set.url);
    await reads.prepare([table]);
    set.refuse = (command) =>
      'insert' in command || 'update' in command
        ? {
            code: 13,
            codeName: 'Unauthorized',
            errmsg: 'not authorized on kontor to execute command { insert: "x", documents: [ { j: "secret" } ] }',
          }
        : undefined;
    const write = (position: number) => reads.write({ tables: [], checkpoints: [{ key: 'a', position }] });
    await expect(write(1)).rejects.toThrow(ReadStoreUnavailable);
    expect(await reads.checkpoint('a')).toBe(-1);
    await expect(write(2)).rejects.toThrow(ReadStoreUnavailable);
    const fault = {
      setting: 'MONGODB_URL (permissions of its user)',
      reason: 'not authorized on kontor to execute command',
    };
    expect(reads.fault()).toEqual(fault);
    expect(errors()).toEqual([{ level: 'error', fields: fault, message: expect.any(String) as string }]);
  });

  test('reports an untrusted certificate with the reason', async () => {
    const server = createServer(selfSigned([], ['127.0.0.1']));
    const sockets: Socket[] = [];
    server.on('connection', (socket: Socket) => sockets.push(socket));
    server.on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { reads } = open(`mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/kontor?tls=true`);
    await expect(reads.checkpoint('a')).rejects.toThrow(ReadStoreUnavailable);
    await expect(reads.checkpoint('a')).rejects.toThrow(ReadStoreUnavailable);
    expect(reads.fault()).toEqual({
      setting: 'MONGODB_URL (tls, tlsCAFile or tlsCertificateKeyFile)',
      reason: expect.stringMatching(/self[- ]signed/) as string,
    });
    expect(errors()).toHaveLength(1);
    server.close();
    for (const socket of sockets) socket.destroy();
  });

  test('reports the name of another replica set', async () => {
    const { reads } = open(set.url.replace('replicaSet=model', 'replicaSet=another'));
    await expect(reads.checkpoint('a')).rejects.toThrow(ReadStoreUnavailable);
    await expect(reads.checkpoint('a')).rejects.toThrow(ReadStoreUnavailable);
    expect(reads.fault()?.setting).toBe('MONGODB_URL (replicaSet)');
  });

  test('has no fault while the server is only unavailable, or responds', async () => {
    const { reads } = open(set.url);
    await reads.checkpoint('a');
    expect(reads.fault()).toBeUndefined();
    await set.close();
    await expect(reads.checkpoint('a')).rejects.toThrow(ReadStoreUnavailable);
    expect(reads.fault()).toBeUndefined();
    expect(logged.map(({ message }) => message)).toEqual(['MongoDB is unavailable']);
    set = await ReplicaSet.start();
  });

  test('fails quickly after a long outage, and works again when the server is back', async () => {
    const { reads } = open(set.url);
    await reads.checkpoint('a');
    const { hosts } = set;
    await set.close();
    await expect(reads.checkpoint('a')).rejects.toThrow(ReadStoreUnavailable);
    clock.pass(15_000);
    await expect(reads.checkpoint('a')).rejects.toThrow('MongoDB did not respond within 500 ms');
    set = await ReplicaSet.start(hosts);
    expect(await eventually(() => reads.checkpoint('a').catch(() => undefined), 10_000)).toBe(-1);
    expect(logged.map(({ message }) => message)).toEqual(['MongoDB is unavailable', 'MongoDB is back']);
  });

  test('distinguishes a search that the server cannot finish from an unavailable server', async () => {
    const { reads } = open(set.url);
    await reads.prepare([table]);
    set.refuse = (command) =>
      'find' in command
        ? { code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' }
        : undefined;
    const page = { offset: 0, limit: 20 };
    await expect(reads.list(table, scope, { ...page, search: 'a' })).rejects.toThrow(SearchTooBroad);
    await expect(reads.list(table, scope, page)).rejects.toThrow(ReadStoreUnavailable);
    expect(logged).toEqual([]);
  });
});
