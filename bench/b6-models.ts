import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import {
  checkpointKey,
  documentsOf,
  evolveWith,
  scopeOf,
  wants,
  type AnyProjection,
} from '../src/projecting/projection.js';
import { tenantScope, type AnyTable, type Scope } from '../src/ports/read-store.js';
import { projections } from '../src/projections/projections.js';
import type { BenchEvent } from './b6-history.js';
import { say } from './report.js';

/** Read models projected from a `History`. The benchmark does not change any other read models. */
const FED = ['customers', 'accounts', 'balances', 'account_days', 'ledger_entries', 'transactions'];
/** Read models with too many documents to keep in memory. */
const MANY = ['ledger_entries', 'transactions'];
/**
 * Maximum number of documents in memory. Sale documents rarely change, so the oldest documents are written and evicted.
 */
const REMEMBERED = 20_000;
const BATCH = 1_000;

type Folded = { document: object | undefined; position: number };

/**
 * Feeds events to the projections, and stores the documents as a rebuild does: into a new generation, in bulk, with
 * indexes built at the end. First copies the tenant's documents that the service has created.
 */
export async function fill(directory: string, tenantId: string, events: () => Iterable<BenchEvent>): Promise<void> {
  const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  const scope = tenantScope(tenantId);
  await store.prepare(projections.map(({ model }) => ({ model, generation: 1 })));
  for (const projection of projections.filter(({ model }) => FED.includes(model.name))) {
    const started = performance.now();
    const table: AnyTable = { model: projection.model, generation: 2 };
    await store.prepare([table], { bulk: true });
    const { count } = await new Filling(store, projection, table, scope).run(events());
    const written = performance.now();
    await store.index(table);
    const { name, version } = projection.model;
    const position = await store.checkpoint(checkpointKey(projection.model, 1));
    await store.write({ tables: [], checkpoints: [{ key: checkpointKey(projection.model, 2), position }] });
    await store.setLiveGeneration(name, version, 2);
    const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1);
    const rate = Math.round(count / ((written - started) / 1_000));
    say(
      `${name}: ${count} documents in ${seconds(started, written)} s (${rate}/s), indexes ${seconds(written, performance.now())} s`,
    );
  }
  await store.close();
}

class Filling {
  private readonly open = new Map<string, Folded>();
  private readonly stored = new Map<string, number>();
  private readonly keepsAll: boolean;
  private count = 0;

  constructor(
    private readonly store: EmbeddedReadStore,
    private readonly projection: AnyProjection,
    private readonly table: AnyTable,
    private readonly scope: Scope,
  ) {
    this.keepsAll = !MANY.includes(projection.model.name);
  }

  async run(events: Iterable<BenchEvent>): Promise<{ count: number }> {
    const before: AnyTable = { ...this.table, generation: 1 };
    for await (const { scope, id, json, position } of this.store.scan(before))
      if (scope === this.scope && json !== null) this.open.set(id, { document: JSON.parse(json) as object, position });
    for (const event of events) {
      if (!wants(this.projection, event.entity)) continue;
      this.fold(event);
      if (!this.keepsAll && this.open.size >= REMEMBERED + BATCH) await this.write(BATCH);
    }
    while (this.open.size > 0) await this.write(BATCH);
    return { count: this.count };
  }

  private fold(event: BenchEvent): void {
    if (scopeOf(this.projection, event) !== this.scope) throw new Error('Another tenant');
    for (const id of documentsOf(this.projection, event)) {
      const { document } = this.open.get(id) ?? {};
      const evolved = evolveWith(this.projection, document, event, id);
      if (document !== undefined || evolved !== undefined)
        this.open.set(id, { document: evolved, position: event.position });
    }
  }

  /** Writes the oldest documents. */
  private async write(limit: number): Promise<void> {
    const some = [...take(this.open, limit)];
    for (const [id] of some) this.open.delete(id);
    const writes = some.map(([id, { document, position }]) => {
      if (this.stored.has(id)) throw new Error(`${this.projection.model.name} ${id} changed after it was stored`);
      return { scope: this.scope, id, document: document ?? null, position, expected: null };
    });
    const { conflicts } = await this.store.write({ tables: [{ table: this.table, writes }], checkpoints: [] });
    if (conflicts.length > 0) throw new Error('Generated documents conflict');
    this.count += writes.length;
  }
}

function* take<T>(from: Iterable<T>, limit: number): Generator<T> {
  let n = 0;
  for (const each of from) {
    if (n === limit) return;
    n += 1;
    yield each;
  }
}
