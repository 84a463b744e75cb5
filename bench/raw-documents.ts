import type { AnyTable, DocumentWrite, ReadStore } from '../src/ports/read-store.js';

/** A read model that has no index except on its key. */
export const RAW: AnyTable = {
  model: {
    ...{ name: 'raw', version: 1, fields: {}, filters: [] },
    order: { fields: [], direction: 'ascending' },
  },
  generation: 1,
};
const AT_ONCE = 1_000;

export type Copied = { readonly documents: number; readonly ms: number };

/** Passes every document of the tables, with its key, to a writer. Measures only the time that the writer takes. */
export async function copyDocuments(
  from: ReadStore,
  tables: readonly AnyTable[],
  write: (documents: readonly DocumentWrite[]) => Promise<void>,
): Promise<Copied> {
  let [documents, ms] = [0, 0];
  let waiting: DocumentWrite[] = [];
  const flush = async (): Promise<void> => {
    const startedMs = performance.now();
    await write(waiting);
    ms += performance.now() - startedMs;
    waiting = [];
  };
  for (const table of tables)
    for await (const { scope, id, json, position } of from.scan(table)) {
      documents += 1;
      const document = json === null ? null : (JSON.parse(json) as object);
      waiting.push({ scope, id: `${table.model.name} ${id}`, document, position, expected: null });
      if (waiting.length === AT_ONCE) await flush();
    }
  if (waiting.length > 0) await flush();
  return { documents, ms };
}

/** Writes to a read store with plain inserts, and without any index except on the keys. */
export const into =
  (store: ReadStore) =>
  async (writes: readonly DocumentWrite[]): Promise<void> => {
    await store.write({ tables: [{ table: RAW, writes }], checkpoints: [] });
  };
