// npm run docs:console: takes screenshots of the console's pages for docs/console/. Uses Chromium (/usr/bin/chromium,
// or CHROMIUM_PATH) and the compiled service with sample data.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import '../test/support/typescript.mjs';
import { buildIfStale, root } from './checkout.mjs';

const { ConsoleService, OPERATOR } = await import('../test/support/console-service.ts');
const { launch, Visitor } = await import('../test/support/visitor.ts');

const FOLDER = join(root, 'docs', 'console');
const MOST_BYTES = 220_000;
/** Live charts show a line only after several samples. */
const WATCHED_MS = 14_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Creates data for each page. */
async function furnish(service) {
  const shop = await service.openShop();
  for (let sale = 0; sale < 25; sale += 1) await service.sell(shop, `web-${1000 + sale}`);
  await service.sell(shop, 'web-2001', { branchCode: 'NORTH' });
  await service.sell(shop, 'web-2002', { type: 'RETURN', relatedExternalId: 'web-1', total: '119.00' });
  await service.saleIs(shop, 'web-2001', 'REJECTED');
  await service.saleIs(shop, 'web-2002', 'REJECTED');
  const token = await service.operator();
  const run = async (jobName) =>
    (await service.call('/api/platform/jobs/trigger', { token, body: { jobName } })).data.executionLogId;
  const backup = await run('database-backup');
  await run('projection-verify');
  await service.call('/api/platform/projections/customers/rebuild', { token, body: {} });
  await pause(3_000);
  const { items } = await service.call('/api/platform/dead-letters', { token });
  return { shop, backup, letter: items[0].id };
}

/** Creates records for the search and bookkeeping pages. */
async function furnishBooks(service, { shop }) {
  const mine = (path, body, method) => service.call(path, { token: shop.ownerToken, body, method });
  const opening = { amount: '1250.00', direction: 'OUT', date: '2026-01-01' };
  const northwind = { name: 'Northwind Foods', email: 'ap@northwind.example', city: 'Oslo', openingBalance: opening };
  const { id: customer } = (await mine('/api/customers', northwind)).data;
  for (const change of [
    { phone: '+47 22 00 00 00' },
    { city: 'Bergen', notes: 'Pays late.' },
    { name: 'Northwind AS' },
  ])
    await mine(`/api/customers/${customer}`, change, 'PATCH');
  const [bank] = (await mine('/api/accounts/lookup?search=bank')).data;
  const paid = { type: 'COLLECTION', date: '2026-03-05', amount: '300.00', customerId: customer, accountId: bank.id };
  await mine('/api/transactions', { ...paid, description: 'Paid by transfer' });
  const { data: categories } = await mine('/api/transaction-categories');
  const category = categories.find(({ direction }) => direction === 'IN') ?? categories[0];
  const rule = { categoryId: category.id, keyword: 'transfer', direction: 'IN', priority: 300, notes: 'Monthly' };
  await mine('/api/transaction-categories/rules', rule);
  for (let time = 0; time < 12; time += 1) await mine('/api/platform/tenants').catch(() => undefined);
  const token = await service.operator();
  const about = `/api/platform/audit-logs?entity=customer&entityId=${customer}&search=city`;
  const { items } = await service.call(about, { token });
  return { customer, entry: items[0].id, owner: shop.owner, tenant: shop.tenantId };
}

const phone = { width: 390, height: 844 };
const tryRules = async (page) => {
  await page.getByLabel('Description').fill('Transfer for March');
  await page.getByLabel('Direction').first().click();
  await page.getByRole('option', { name: 'Money in', exact: true }).click();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('Conditions met:').waitFor();
};
const bookViews = ({ customer, entry, owner: who, tenant }) => [
  { name: 'audit', path: '/audit?entity=customer', shows: 'Northwind' },
  { name: 'audit-entry', path: `/audit/${entry}`, shows: 'Bergen' },
  { name: 'record', path: `/records/customer/${customer}?tenantId=${tenant}&at=2`, shows: 'State at revision 2' },
  {
    name: 'record-phone',
    path: `/records/customer/${customer}?tenantId=${tenant}&at=2`,
    shows: 'State at revision 2',
    look: { ...phone, scheme: 'dark' },
  },
  { name: 'errors', path: '/errors', shows: 'rejected repeatedly' },
  { name: 'tenant', path: `/tenants/${tenant}`, shows: 'Web shop' },
  { name: 'notifications', path: '/tenants', shows: 'Acme', press: /^Notifications/ },
  { name: 'customers', path: '/customers', shows: 'Northwind', who },
  { name: 'customer', path: `/customers/${customer}`, shows: 'Closing balance:', who },
  { name: 'customer-phone', path: `/customers/${customer}`, shows: 'Closing balance:', who, look: phone },
  { name: 'transactions', path: '/transactions?search=Northwind', shows: 'Northwind', who },
  { name: 'rule-bench', path: '/rules/bench', shows: 'Nothing is saved', who, act: tryRules },
  { name: 'partner-keys', path: '/partner-keys', shows: 'Web shop', who },
];

const sell = async (service, shop, isOver) => {
  for (let sale = 5_000; !isOver(); sale += 1) {
    await service.sell(shop, `web-${sale}`);
    await pause(Math.random() * 1_500);
  }
};

const views = ({ backup, letter }) => [
  { name: 'overview', path: '/', shows: 'healthy', watched: true },
  { name: 'overview-dark', path: '/', shows: 'healthy', look: { scheme: 'dark' }, watched: true },
  { name: 'jobs', path: '/jobs', shows: 'session-cleanup' },
  { name: 'jobs-phone', path: '/jobs', shows: 'session-cleanup', look: { width: 390, height: 844 } },
  { name: 'job-run', path: `/jobs/database-backup?run=${backup}`, shows: 'SHA-256' },
  { name: 'dead-letters', path: '/dead-letters', shows: 'BRANCH_UNKNOWN' },
  { name: 'dead-letters-phone', path: '/dead-letters', shows: 'BRANCH_UNKNOWN', look: { width: 390, height: 844 } },
  { name: 'dead-letter', path: `/dead-letters/${letter}`, shows: 'externalId' },
  { name: 'dead-letter-replay', path: `/dead-letters/${letter}`, shows: 'externalId', press: 'Replay' },
  { name: 'projections', path: '/projections', shows: 'identical to the previous version' },
  {
    name: 'projections-dark',
    path: '/projections',
    shows: 'identical to the previous version',
    look: { scheme: 'dark' },
  },
  { name: 'queues', path: '/queues', shows: 'Hit rate', watched: true },
];

async function picture(browser, service, { name, path, shows, look, watched, press, act, who = OPERATOR }) {
  const visitor = await Visitor.arrives(browser, service.url, look);
  await visitor.signIn(who, path);
  await visitor.page.getByText(shows).first().waitFor();
  if (press !== undefined) await visitor.page.getByRole('button', { name: press }).click();
  await act?.(visitor.page);
  await pause(watched === true ? WATCHED_MS : 800);
  const file = join(FOLDER, `${name}.png`);
  await visitor.page.screenshot({ path: file });
  await visitor.leave();
  if (visitor.complaints.length > 0) throw new Error(`${name}: ${visitor.complaints.join('\n')}`);
  if (statSync(file).size > MOST_BYTES) throw new Error(`${name}.png is larger than ${MOST_BYTES} bytes.`);
}

await buildIfStale();
mkdirSync(FOLDER, { recursive: true });
const service = await ConsoleService.start();
const browser = await launch();
let isOver = false;
try {
  const furnished = await furnish(service);
  const books = await furnishBooks(service, furnished);
  const selling = sell(service, furnished.shop, () => isOver);
  const door = await Visitor.arrives(browser, service.url);
  await door.goTo('/');
  await door.page.getByLabel('E-mail').waitFor();
  await door.page.screenshot({ path: join(FOLDER, 'sign-in.png') });
  await door.leave();
  const chosen = process.argv.slice(2);
  for (const view of [...views(furnished), ...bookViews(books)])
    if (chosen.length === 0 || chosen.includes(view.name)) await picture(browser, service, view);
  isOver = true;
  await selling;
} finally {
  isOver = true;
  await browser.close();
  await service.close();
}
