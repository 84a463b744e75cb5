import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { History, type Scale, type Tenant } from './b6-history.js';
import { fill } from './b6-models.js';
import { createLedger } from './ledger-books.js';
import { options } from './options.js';
import { BenchService } from './service-client.js';

export type Ground = { readonly tenant: Tenant; readonly customers: readonly string[] };

/** Fills the directory with a tenant's read models, unless the directory already contains them. */
export async function groundOf(directory: string, size: Omit<Scale, 'seed'>): Promise<Ground> {
  const noted = join(directory, 'bench-tenant.json');
  if (existsSync(noted)) return JSON.parse(await readFile(noted, 'utf8')) as Ground;
  await mkdir(directory, { recursive: true });
  const service = await BenchService.start({ directory });
  const { tenantId } = await service.createTenant();
  const tenant = await createLedger(service.owner, tenantId);
  await service.stop();
  const scale: Scale = { seed: options.seed, ...size };
  await fill(directory, tenant.id, () => new History(tenant, scale, 1_000_000).events());
  const customers: string[] = [];
  for (const event of new History(tenant, scale, 1_000_000).events()) {
    if (event.type === 'CustomerCreated') customers.push(event.recordId);
    if (customers.length === Math.min(2_000, scale.customers)) break;
  }
  await writeFile(noted, JSON.stringify({ tenant, customers }));
  return { tenant, customers };
}
