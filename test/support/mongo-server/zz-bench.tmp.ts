import { MongoClient, ObjectId } from 'mongodb';
import { openMongoDb } from '../../../src/adapters/mongodb/read-store.js';
import { SystemClock } from '../../../src/adapters/system-time.js';
import { silentLogger } from '../../../src/ports/log.js';
import { transactions } from '../../../src/projections/transaction.projection.js';
import { storedDocument, shapeOf } from '../../../src/adapters/mongodb/read-store.collections.js';
import { mongoRecipe } from './recipe.js';
import { ServerProcess } from '../server-process.js';

const N = 100_000, B = 500;
const server = await ServerProcess.start(mongoRecipe);
const mongo = openMongoDb({ url: server.url, clock: new SystemClock(), logger: silentLogger });
const raw = new MongoClient(server.url); await raw.connect();
const scope = '0199c0de-0000-7000-8000-000000000001' as never;
const uuid = (n: number) => `0199c0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
const view = (n: number, v: number) => ({
  id: uuid(n), type: ['SALE','PAYMENT','RETURN'][n % 3], date: `2025-${String(1+n%12).padStart(2,'0')}-${String(1+n%28).padStart(2,'0')}`,
  documentEffect: 'DEBIT', direction: n % 2 ? 'IN' : 'OUT', amount: { amount: n * 100, currency: 'TRY', scale: 2 }, description: `monthly rent number ${n} office chairs`,
  reference: `INV-2025/${n}`, externalId: `ext-${n}`, customerId: uuid(n % 997), categoryId: n % 4 ? uuid(n % 17) : null, expenseItemId: null, branchId: uuid(n % 7),
  accountId: uuid(n % 31), counterAccountId: uuid(n % 29), systemGenerated: n % 2 === 0, createdAt: '2025-01-01T00:00:00.000Z', updatedAt: '2025-01-01T00:00:00.000Z', revision: v, sequence: n, isCancelled: false, categorizedBy: null, createdBy: null, postings: [{ account: uuid(n%31), debit: n*100 }, { account: uuid(n%29), credit: n*100 }],
});
const model = transactions as never;
let g = 0;
async function ours(label: string) {
  const table = { model, generation: ++g };
  await mongo.reads.prepare([table], { bulk: false });
  await raw.db('kontor').collection(`transactions_v1_g${g}`).createIndex({ _id: 1, p: 1 }, { unique: true, name: 'guard' });
  for (const v of [1, 2]) {
    const began = performance.now();
    for (let at = 0; at < N; at += B) {
      const writes = Array.from({ length: B }, (_, k) => ({ scope, id: uuid(at + k), document: view(at + k, v), position: v, expected: v === 1 ? null : 1 }));
      const { conflicts } = await mongo.reads.write({ tables: [{ table, writes }], checkpoints: [{ key: `b${g}`, position: at + N * v }] });
      if (conflicts.length) throw new Error('conflict');
    }
    out[`${label} ${v === 1 ? 'insert' : 'update'}`] = N / ((performance.now() - began) / 1000);
  }
  await mongo.reads.drop(table);
}
async function plain(label: string) {
  const table = { model, generation: ++g };
  const shape = shapeOf(table as never);
  await mongo.reads.prepare([table]);
  const c = raw.db('kontor').collection(`transactions_v1_g${g}`);
  const by = new ObjectId();
  for (const v of [1, 2]) {
    let ms = 0;
    for (let at = 0; at < N; at += B) {
      const docs = Array.from({ length: B }, (_, k) => storedDocument(shape, { scope, id: uuid(at + k), document: view(at + k, v), position: v, expected: null }, by));
      const began = performance.now();
      await c.bulkWrite(docs.map((d) => v === 1 ? { insertOne: { document: d as never } } : { replaceOne: { filter: { _id: d._id as never }, replacement: d } }), { ordered: false });
      ms += performance.now() - began;
    }
    out[`${label} ${v === 1 ? 'insert' : 'update'}`] = N / (ms / 1000);
  }
  await mongo.reads.drop(table);
}
const out: Record<string, number> = {};
await ours('warm'); await plain('warm-raw');
for (let r = 1; r <= 2; r++) { await plain(`raw${r}`); await ours(`ours${r}`); }
for (const [k, v] of Object.entries(out)) console.log(k.padEnd(20), Math.round(v), 'docs/s');
await mongo.close(); await raw.close(); await server.dispose();
