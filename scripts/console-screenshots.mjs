// npm run docs:console: pictures of the console's pages for docs/console/, taken of the compiled service with data of a
// first start's kind, by Chromium (/usr/bin/chromium, or CHROMIUM_PATH).
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import '../test/support/typescript.mjs';
import { buildIfStale, root } from './checkout.mjs';

const { ConsoleService, OPERATOR } = await import('../test/support/console-service.ts');
const { launch, Visitor } = await import('../test/support/visitor.ts');

const FOLDER = join(root, 'docs', 'console');
const MOST_BYTES = 200_000;
/** What is watched needs some looks before there is a line to see. */
const WATCHED_MS = 14_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Something to see on each page. */
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

const sell = async (service, shop, isOver) => {
  for (let sale = 5_000; !isOver(); sale += 1) {
    await service.sell(shop, `web-${sale}`);
    await pause(Math.random() * 1_500);
  }
};

const views = ({ backup, letter }) => [
  { name: 'overview', path: '/', shows: 'integration-events', watched: true },
  { name: 'overview-dark', path: '/', shows: 'integration-events', look: { scheme: 'dark' }, watched: true },
  { name: 'jobs', path: '/jobs', shows: 'session-cleanup' },
  { name: 'jobs-phone', path: '/jobs', shows: 'session-cleanup', look: { width: 390, height: 844 } },
  { name: 'job-run', path: `/jobs/database-backup?run=${backup}`, shows: 'SHA-256' },
  { name: 'dead-letters', path: '/dead-letters', shows: 'BRANCH_UNKNOWN' },
  { name: 'dead-letters-phone', path: '/dead-letters', shows: 'BRANCH_UNKNOWN', look: { width: 390, height: 844 } },
  { name: 'dead-letter', path: `/dead-letters/${letter}`, shows: 'externalId' },
  { name: 'dead-letter-replay', path: `/dead-letters/${letter}`, shows: 'externalId', press: 'Replay' },
  { name: 'projections', path: '/projections', shows: 'equal to the old one' },
  { name: 'projections-dark', path: '/projections', shows: 'equal to the old one', look: { scheme: 'dark' } },
  { name: 'queues', path: '/queues', shows: 'Found in the cache', watched: true },
];

async function picture(browser, service, { name, path, shows, look, watched, press }) {
  const visitor = await Visitor.arrives(browser, service.url, look);
  await visitor.signIn(OPERATOR, path);
  await visitor.page.getByText(shows).first().waitFor();
  if (press !== undefined) await visitor.page.getByRole('button', { name: press }).click();
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
  const selling = sell(service, furnished.shop, () => isOver);
  const door = await Visitor.arrives(browser, service.url);
  await door.goTo('/');
  await door.page.getByLabel('E-mail').waitFor();
  await door.page.screenshot({ path: join(FOLDER, 'sign-in.png') });
  await door.leave();
  const chosen = process.argv.slice(2);
  for (const view of views(furnished))
    if (chosen.length === 0 || chosen.includes(view.name)) await picture(browser, service, view);
  isOver = true;
  await selling;
} finally {
  isOver = true;
  await browser.close();
  await service.close();
}
