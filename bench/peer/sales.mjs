// The domain of the peer: one event per sale, and a read model that supports lists by customer and by time.
import { getPostgreSQLEventStore, postgreSQLRawBatchSQLProjection } from '@event-driven-io/emmett-postgresql';
import { dumbo, SQL } from '@event-driven-io/dumbo';

const TABLE = SQL`CREATE TABLE IF NOT EXISTS sales (
  external_id text PRIMARY KEY,
  customer text,
  occurred_at timestamptz NOT NULL,
  total numeric(18, 2) NOT NULL,
  document jsonb NOT NULL
)`;
const INDEXES = [
  SQL`CREATE INDEX IF NOT EXISTS sales_by_time ON sales (occurred_at, external_id)`,
  SQL`CREATE INDEX IF NOT EXISTS sales_by_customer ON sales (customer, occurred_at, external_id)`,
];

/** Inserts a batch with one statement, which is the fastest method that the library offers. */
const insertion = postgreSQLRawBatchSQLProjection({
  name: 'sales',
  canHandle: ['SaleAccepted'],
  init: () => [TABLE, ...INDEXES],
  evolve: (events) => {
    const documents = JSON.stringify(events.map(({ data }) => data));
    return [
      SQL`INSERT INTO sales
        SELECT one->>'externalId', one->'customer'->>'externalId', (one->>'occurredAt')::timestamptz,
          (one->>'total')::numeric, one
        FROM jsonb_array_elements(${documents}::jsonb) AS one
        ON CONFLICT (external_id) DO UPDATE SET document = excluded.document`,
    ];
  },
});

export const sales = { ...insertion, truncate: ({ execute }) => execute.command(SQL`TRUNCATE sales`) };

/** @param isProjected whether each append also writes the read model in its transaction */
export const openStore = (connectionString, isProjected) =>
  getPostgreSQLEventStore(connectionString, {
    projections: isProjected ? [{ type: 'inline', projection: sales }] : [],
  });

/** Resolves when the sale is durable. Rejects a duplicate sale. */
export const accept = (store, sale) =>
  store.appendToStream(`sale-${sale.externalId}`, [{ type: 'SaleAccepted', data: sale }], {
    expectedStreamVersion: 'STREAM_DOES_NOT_EXIST',
  });

export async function countSales(connectionString) {
  const pool = dumbo({ connectionString });
  const { rows } = await pool.execute.query(SQL`SELECT count(*)::int AS count FROM sales`);
  await pool.close();
  return rows[0].count;
}
