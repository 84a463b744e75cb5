/** Limits on the body of POST /api/integrations/v1/sales/batch. */
export const BATCH_BYTES = 4 * 1_048_576;
export const BATCH_SALES = 500;

const LINES = 24;

/** Returns a valid batch of BATCH_SALES sales in exactly BATCH_BYTES bytes of JSON, without superfluous spaces. */
export function maximalBatch(run: string): string {
  const sales = Array.from({ length: BATCH_SALES }, (_, n) => ({
    externalId: `${run}-${n}`,
    ...{ type: 'SALE', occurredAt: '2026-03-04T10:00:00Z', currency: 'EUR' },
    lines: Array.from({ length: LINES }, (_line, at) => ({
      ...{ sku: `SKU-${at}`, description: 'Goods' },
      ...{ quantity: '2.5', unitPrice: '19.99', discount: '0.50', taxRate: '19' },
    })),
  }));
  let missing = BATCH_BYTES - JSON.stringify({ sales }).length;
  const each = Math.ceil(missing / (BATCH_SALES * LINES));
  for (const { lines } of sales)
    for (const line of lines) {
      const added = Math.min(each, missing);
      line.description += '.'.repeat(added);
      missing -= added;
    }
  return JSON.stringify({ sales });
}
