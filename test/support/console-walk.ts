// All console pages, and a walk that visits pages in one language and reports their faults.
import type { Page } from 'playwright-core';
import { foreignAmong, type ShownLanguage, type Words } from './console-words.js';
import { eventually } from './eventually.js';
import { BROKEN, CUT, IDLE_FILTERS, LOST_ACTIONS } from './legibility.js';
import type { Visitor } from './visitor.js';

/** Ids of the records that a suite has created, by name. */
export type Ids = Readonly<Record<string, string>>;

export type Stop = {
  /** Path of the page's route in the router. */
  readonly route: string;
  /** URL path with record names in braces. Default: the route. */
  readonly at?: string;
  /** A string that the page displays only once its data has loaded. */
  readonly shows: Words | Readonly<Record<ShownLanguage, string>>;
  /** A button that opens a dialog. */
  readonly opens?: Words;
};

const PERIOD = 'from=2025-01-01&to=2026-12-31';

/** Represents every path that matches no route. */
export const NOWHERE = '*';

/** The page that is shown without a session. */
export const DOOR: Stop = { route: '/sign-in', shows: 'Sign in' };

/** Pages for operators. */
export const OPERATIONS: readonly Stop[] = [
  { route: '/', shows: ['{value} healthy', { value: '' }] },
  { route: '/jobs', shows: 'session-cleanup', opens: 'Run now: session-cleanup' },
  { route: '/jobs/$name', at: '/jobs/database-backup?run={run}', shows: 'SHA-256' },
  { route: '/dead-letters', shows: 'BRANCH_UNKNOWN' },
  { route: '/dead-letters/$id', at: '/dead-letters/{letter}', shows: '"externalId"' },
  { route: '/projections', shows: 'customers' },
  { route: '/integrity', shows: 'Verification' },
  { route: '/queues', shows: 'Hit rate' },
  { route: '/audit', at: '/audit?entity=customer', shows: 'Northwind Foods' },
  { route: '/audit/$id', at: '/audit/{entry}', shows: 'Bergen' },
  { route: '/audit/$id', at: '/audit/{role}', shows: 'Cashier' },
  {
    route: '/records/$entity/$id',
    at: '/records/customer/{customer}?tenantId={tenant}',
    shows: ['State at revision {revision}', { revision: 1 }],
  },
  { route: '/events', at: '/events?type=CustomerCreated', shows: 'CustomerCreated' },
  { route: '/errors', shows: { en: 'rejected repeatedly', de: 'wiederholt abgelehnt' } },
  {
    route: '/errors/$id',
    at: '/errors/{error}',
    shows: ['Latest {ids} requests with this error', { ids: 11 }],
    opens: 'Resolve',
  },
  { route: '/tenants', shows: 'Acme Trading', opens: 'Create a tenant' },
  { route: '/tenants/$id', at: '/tenants/{tenant}', shows: 'Web shop', opens: 'Rate limit: Web shop' },
  { route: '/operators', shows: 'Maximiliane' },
  { route: NOWHERE, at: '/no/such/page', shows: 'Page not found' },
];

/** Pages for a tenant's books. */
export const BOOKS: readonly Stop[] = [
  { route: '/', shows: ['{total, plural, one {# sale} other {# sales}} rejected', { total: 1 }] },
  { route: '/sales', shows: 'web-1', opens: 'Record a sale' },
  {
    route: '/sales/$id',
    at: '/sales/{rejected}',
    shows: 'NEUMUENSTER-WITTORF',
    opens: ['Create the branch {code}', { code: 'NEUMUENSTER-WITTORF' }],
  },
  { route: '/customers', shows: 'Northwind Foods', opens: 'Create a customer' },
  {
    route: '/customers/$id',
    at: '/customers/{customer}',
    shows: { en: '1,200.00 EUR', de: '1.200,00 EUR' },
    opens: 'Edit',
  },
  { route: '/transactions', shows: { en: '31 Dec 2025', de: '31.12.2025' }, opens: 'Journal entry' },
  { route: '/transactions/$id', at: '/transactions/{transaction}', shows: 'Northwind Foods', opens: 'Correct' },
  { route: '/transactions/$id', at: '/transactions/{corrected}', shows: 'Entered too low.' },
  { route: '/reports', shows: { en: 'Total income', de: 'Summe Erträge' } },
  {
    route: '/reports/$name',
    at: `/reports/profit-and-loss?${PERIOD}&by=quarter`,
    shows: { en: 'Total income', de: 'Summe Erträge' },
  },
  { route: '/reports/$name', at: '/reports/balance-sheet?asOf=2026-12-31', shows: 'Liabilities and equity' },
  { route: '/reports/$name', at: `/reports/trial-balance?${PERIOD}`, shows: 'Northwind Foods' },
  { route: '/reports/$name', at: `/reports/general-ledger?${PERIOD}`, shows: 'web-2' },
  { route: '/reports/$name', at: '/reports/ageing?asOf=2026-12-31', shows: 'Northwind Foods' },
  { route: '/reports/$name', at: `/reports/tax?${PERIOD}`, shows: 'Tax account' },
  { route: '/periods', shows: { en: '31 Dec 2025', de: '31.12.2025' }, opens: 'Close a period' },
  { route: '/categories', shows: 'Rent and leases', opens: 'Create a category' },
  { route: '/rules', shows: 'Monthly', opens: 'Create a rule' },
  { route: '/rules/applications', shows: 'Done' },
  { route: '/rules/bench', shows: 'Test' },
];

/** Tenant settings, and the pages that are available to every user. */
export const SETTINGS: readonly Stop[] = [
  { route: '/accounts', shows: 'Till of the harbour', opens: 'Create an account' },
  {
    route: '/accounts/$id',
    at: '/accounts/{account}',
    shows: { en: 'Closing balance: 0.00 EUR', de: 'Endsaldo: 0,00 EUR' },
    opens: 'Edit',
  },
  { route: '/branches', shows: 'HARBOUR', opens: 'Create a branch' },
  { route: '/partner-keys', shows: 'Web shop', opens: 'Revoke: Web shop' },
  { route: '/webhooks', shows: 'hooks.example', opens: 'Create a webhook' },
  { route: '/webhooks/$id', at: '/webhooks/{webhook}', shows: 'kontor.customer.created.v1', opens: 'Send a test' },
  { route: '/settings', shows: 'login.example', opens: 'Edit' },
  { route: '/users', shows: 'Olga Owner', opens: 'Create a user' },
  { route: '/roles', shows: 'Cashier', opens: 'Create a role' },
  { route: '/audit-log', shows: 'Olga Owner' },
  { route: '/audit-log/$id', at: '/audit-log/{entry}', shows: 'Actor, time and record' },
  { route: '/notifications', shows: 'Stocktaking', opens: ['Notifications: {unread} unread', { unread: 2 }] },
  { route: '/account', shows: 'Chrome', opens: 'Add an authenticator app' },
];

/** Every console page. */
export const PAGES: readonly Stop[] = [DOOR, ...OPERATIONS, ...BOOKS, ...SETTINGS];

const addressOf = ({ route, at = route }: Stop, ids: Ids): string =>
  at.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`${at}: the suite has created no ${name}.`);
    return id;
  });

const PATIENCE_MS = 30_000;
const SETTLING_MS = 2_000;
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

/** Strings that a user sees or hears, excluding code and exact instants in tooltips. */
const TEXTS = `(() => {
  const texts = new Set([document.title]);
  const keep = (text) => texts.add((text ?? '').replace(/\\s+/g, ' ').trim());
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('pre, code, script, style') !== null || !element.checkVisibility()) continue;
    for (const name of ['aria-label', 'placeholder', 'alt', 'title'])
      if (name !== 'title' || element.localName !== 'time') keep(element.getAttribute(name));
    if (element.localName === 'input' && element.type === 'text' && (element.readOnly || element.role === 'combobox'))
      keep(element.value);
    const nodes = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    for (const { data } of nodes) keep(data);
    if (nodes.length > 0) keep(element.textContent);
  }
  return [...texts];
})()`;
/**
 * Elements whose content is wider than the available space, so that users must scroll sideways or text overlaps.
 * Excludes headers of columns that are hidden on narrow screens, and the sections of a report, which scroll together.
 */
const OVERHANGS = `[...document.querySelectorAll(
    'html, .mantine-AppShell-header, .k-scroll, .k-json, .k-tile, .k-table th, .k-problem, .k-bell-box')]
  .filter((element) => element.checkVisibility())
  .filter((element) => [element, element.parentElement?.parentElement ?? element]
    .every((each) => getComputedStyle(each).clipPath === 'none'))
  .filter((element) => element.scrollWidth > element.clientWidth && element.closest('.k-across') === null)
  .map((element) => [
    element.getAttribute('aria-label') ?? element.textContent.slice(0, 40),
    element.scrollWidth - element.clientWidth,
  ])
  .map(([name, excess]) => name + ' is ' + excess + ' px wider than its place')`;
/**
 * Permitted heights of list rows, in pixels: one line on a desktop. On a narrow screen, the title has up to two lines,
 * and the other columns have one. Rows with reasons, remarks or links to related records are higher.
 */
const ROWS = { wide: [36, 40], narrow: [0, 96] } as const;
const WIDE_FROM_PX = 993;
/** Returns code that finds list rows whose height is outside the range permitted on the screen. */
const misfitRows = ([least, most]: readonly [number, number]): string =>
  `[...document.querySelectorAll('.k-table:not(.k-diff) tbody tr')]
  .filter((row) => innerWidth >= ${WIDE_FROM_PX} || row.closest('.k-rows') !== null)
  .filter((row) => row.checkVisibility() && row.querySelector('.k-cause, .k-remark') === null)
  .map((row) => [
    row.innerText.replace(/\\s+/g, ' ').slice(0, 60),
    Math.round(row.getBoundingClientRect().height),
    // Names in reports, which have no column that becomes narrower, may take two lines.
    innerWidth >= ${WIDE_FROM_PX} && row.closest('table').querySelector('thead .k-wide') === null ? 20 : 0,
  ])
  .filter(([, height, more]) => height < ${least} || height > ${most} + more)
  .map(([text, height]) => 'the row "' + text + '" has a height of ' + height + ' px')`;
/**
 * Whether the page shows its data in the given color scheme. Finishes all transitions, because waiting for them takes
 * time.
 */
const isSettled = (scheme: string): string =>
  `document.documentElement.dataset.mantineColorScheme === '${scheme}' &&
  document.querySelector('[aria-busy=true], .mantine-Skeleton-root[data-visible=true]') === null &&
  document.getAnimations().every((animation) => {
    if (animation.effect.getComputedTiming().endTime !== Infinity) animation.finish();
    return animation.playState !== 'running';
  })`;

type Scheme = 'light' | 'dark';
/**
 * Phones and desktops, in both color schemes. Each step changes as little as possible, because every change takes time.
 */
const VIEWS: readonly (readonly [size: typeof WIDE, schemes: readonly Scheme[]])[] = [
  [WIDE, ['light', 'dark']],
  [NARROW, ['dark', 'light']],
];
/** Widths of tablets and large screens. */
const OTHER_WIDTHS = [820, 1920];

async function adopt(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await eventually(
    () => page.evaluate<boolean>(isSettled(scheme)),
    PATIENCE_MS,
    () => `${page.url()} does not settle`,
  );
}

const rowFaults = (page: Page, width: number): Promise<string[]> =>
  page.evaluate<string[]>(misfitRows(ROWS[width < WIDE_FROM_PX ? 'narrow' : 'wide']));

/**
 * Returns the elements that do not fit the screen. Waits briefly, because charts adapt to the width with a short delay.
 */
async function overhangs(page: Page): Promise<string[]> {
  let found: string[] = [];
  const fits = async (): Promise<boolean> => {
    found = await page.evaluate<string[]>(OVERHANGS);
    return found.length === 0;
  };
  await eventually(fits, SETTLING_MS).catch(() => undefined);
  return found;
}

/** Faults on the current page or in its open dialog. Both color schemes use the same strings, at the same widths. */
async function faultsOf(visitor: Visitor): Promise<string[]> {
  const { page, language } = visitor;
  const faults: string[] = [];
  const add = (where: string, found: readonly string[]): void => {
    faults.push(...found.map((fault) => `${where}: ${fault}`));
  };
  for (const [size, schemes] of VIEWS) {
    await page.setViewportSize(size);
    for (const [nth, scheme] of schemes.entries()) {
      await adopt(page, scheme);
      // All other rules produce the same results in both color schemes.
      add(`${scheme}, ${size.width} px`, await visitor.barriers(nth === 0 ? {} : { only: 'colors' }));
    }
    add(`not in ${language}`, foreignAmong(await page.evaluate<string[]>(TEXTS), language));
    add(`${size.width} px`, await overhangs(page));
    add(`${size.width} px`, await rowFaults(page, size.width));
    add(`${size.width} px`, await cutOff(page));
  }
  for (const width of OTHER_WIDTHS) {
    await page.setViewportSize({ ...WIDE, width });
    add(`${width} px`, await overhangs(page));
    add(`${width} px`, await rowFaults(page, width));
    add(`${width} px`, await cutOff(page));
  }
  return faults;
}

async function cutOff(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const rule of [CUT, BROKEN, LOST_ACTIONS, IDLE_FILTERS]) found.push(...(await page.evaluate<string[]>(rule)));
  return found;
}

async function isShown(visitor: Visitor, { shows }: Stop): Promise<void> {
  const words = typeof shows === 'object' && 'en' in shows ? shows[visitor.language] : visitor.words(shows);
  await visitor.page.locator('main').getByText(words).first().waitFor();
}

/** Opens a page, waits for its data, and then opens its dialog. Returns the faults of the page and of the dialog. */
async function visit(visitor: Visitor, stop: Stop, ids: Ids): Promise<string[]> {
  await visitor.goTo(addressOf(stop, ids));
  await isShown(visitor, stop);
  const faults = await faultsOf(visitor);
  if (stop.opens === undefined) return faults;
  const name = visitor.words(stop.opens);
  await visitor.page.setViewportSize(WIDE);
  await visitor.page.getByRole('button', { name, exact: true }).click();
  await visitor.page.getByRole('dialog').waitFor();
  return [...faults, ...(await faultsOf(visitor)).map((fault) => `${name}: ${fault}`)];
}

/** Visits the pages one after another and opens their dialogs. Returns their faults, one per line. */
export async function walk(visitor: Visitor, stops: readonly Stop[], ids: Ids): Promise<string[]> {
  const faults: string[] = [];
  for (const stop of stops) {
    const found = await visit(visitor, stop, ids).catch((error: unknown) => [String(error)]);
    faults.push(...found.map((fault) => `${stop.at ?? stop.route}: ${fault}`));
  }
  return [...faults, ...visitor.complaints];
}
