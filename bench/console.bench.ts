import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { eventually } from '../test/support/eventually.js';
import { groundOf } from './b6-ground.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { folderOf } from './prepared-history.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { BenchService, OWNER } from './service-client.js';
import { median, percentile } from './statistics.js';

/**
 * Measures the console's list of a very large number of transactions in Chromium, with the CPU throttled by a factor of
 * four. The figures are the largest contentful paint of the list with an empty cache, and the time from an input to the
 * next paint (Event Timing). The service uses one core, and the browser the other.
 */
const SIZES = options.sizes ?? [pick(1_000_000, 20_000)];
const SLOWDOWN = 4;
const VISITS = pick(5, 2);
const TURNS = pick(10, 4);
const LCP_AT_MOST_MS = 1_500;
const INTERACTION_AT_MOST_MS = 100;
const BUNDLE_AT_MOST_KB = 350;

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const PATIENCE_MS = 30_000;
const ASSETS = new URL('../dist/console/assets/', import.meta.url).pathname;

/** Records the paints and inputs of a page, from the start of its navigation. */
const OBSERVER = `
  window.benchPaints = [];
  window.benchInputs = [];
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.benchPaints.push(startTime);
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, duration, interactionId } of list.getEntries())
      if (interactionId > 0) window.benchInputs.push([name, duration]);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
`;

/** URLs of the resources that were requested before the largest paint. */
const LOADED = `
  performance.getEntriesByType('resource')
    .filter(({ startTime }) => startTime < window.benchPaints.at(-1))
    .map(({ name }) => name)
`;

type Input = readonly [name: string, ms: number];

/** A signed-in browser with a throttled CPU. */
class SlowBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly context: BrowserContext,
    private readonly base: string,
  ) {}

  static async start(url: URL): Promise<SlowBrowser> {
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args });
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, locale: 'en-GB' });
    await context.addInitScript(OBSERVER);
    const page = await context.newPage();
    await page.goto(new URL('/console/', url).href);
    await page.getByRole('textbox', { name: 'E-mail' }).fill(OWNER.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation').first().waitFor();
    await page.close();
    return new SlowBrowser(browser, context, url.href);
  }

  /** Opens a path with an empty cache. Resolves when the list has rows. */
  async open(path: string): Promise<Page> {
    const page = await this.context.newPage();
    const session: CDPSession = await this.context.newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await page.goto(new URL(`console${path}`, this.base).href);
    await rowsOf(page).nth(1).waitFor();
    return page;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

const rowsOf = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('link') });

/** Waits for two frames, after which all earlier entries have been reported. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200)))');

async function paintOf(browser: SlowBrowser): Promise<number> {
  const page = await browser.open('/transactions');
  await settled(page);
  const paints = await page.evaluate<number[]>('window.benchPaints');
  await page.close();
  return paints.at(-1) ?? Number.NaN;
}

/** The percentile at which Web Vitals are assessed. */
const p75 = (values: readonly number[]): number => percentile(values, 0.75);

/** User actions on the list. Each action ends when its result is shown. */
const ACTIONS: Readonly<Record<string, (page: Page, turn: number) => Promise<void>>> = {
  'next page': async (page) => {
    const first = await firstRow(page);
    await page.getByRole('button', { name: 'next page', exact: true }).click();
    await changed(page, first);
  },
  filter: async (page, turn) => {
    await page.getByRole('searchbox').first().click();
    await page.keyboard.type('kira '.charAt(turn % 5));
    await page.waitForURL(/search=/);
  },
  'open row': async (page) => {
    await rowsOf(page).first().getByRole('link').first().click();
    await page.waitForURL(/\/transactions\/[\da-f-]{36}/);
    await page.goBack();
    await rowsOf(page).nth(1).waitFor();
  },
};

const firstRow = (page: Page): Promise<string> => rowsOf(page).first().innerText();
const changed = (page: Page, from: string): Promise<unknown> =>
  eventually(
    async () => ((await firstRow(page)) === from ? undefined : true),
    PATIENCE_MS,
    () => 'the next page',
  );

async function latencyOf(browser: SlowBrowser, act: (page: Page, turn: number) => Promise<void>): Promise<number[]> {
  const page = await browser.open('/transactions');
  const slowest: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await settled(page);
    await page.evaluate('window.benchInputs = []');
    await act(page, turn);
    await settled(page);
    const inputs = await page.evaluate<Input[]>('window.benchInputs');
    slowest.push(Math.max(0, ...inputs.map(([, ms]) => ms)));
  }
  await page.close();
  return slowest;
}

/**
 * Compressed size, in kB, of the scripts and styles that are loaded before the largest paint. The files of other pages
 * are loaded later.
 */
async function bundleKb(browser: SlowBrowser): Promise<number> {
  const page = await browser.open('/transactions');
  const loaded = await page.evaluate<string[]>(LOADED);
  await page.close();
  const names = loaded.map((url) => basename(new URL(url).pathname)).filter((name) => /\.(?:js|css)$/.test(name));
  const sizes = [...new Set(names)].map((name) => gzipSync(readFileSync(join(ASSETS, name)), { level: 9 }).length);
  return sizes.reduce((sum, bytes) => sum + bytes, 0) / 1_000;
}

async function consoleAt(size: number): Promise<Measurement[]> {
  const directory = folderOf('reads', size);
  await groundOf(directory, { transactions: size, customers: size / 10 });
  const service = await BenchService.start({ directory });
  const paints: number[] = [];
  const bundles: number[] = [];
  const latencies = new Map<string, number[][]>();
  for (let run = 0; run < options.runs; run += 1) {
    const browser = await SlowBrowser.start(service.url);
    const visits: number[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) visits.push(await paintOf(browser));
    paints.push(median(visits));
    bundles.push(await bundleKb(browser));
    for (const [name, act] of Object.entries(ACTIONS))
      latencies.set(name, [...(latencies.get(name) ?? []), await latencyOf(browser, act)]);
    await browser.close();
  }
  await service.stop();
  say(`${size} transactions shown at ${SLOWDOWN} times slower CPU`);
  const common = { figure: 'console', unit: 'ms', events: size, concurrency: 1, errors: 0 } as const;
  return [
    {
      ...{ ...common, name: 'largest contentful paint of the list of transactions', runs: paints },
      ...{ operations: options.runs * VISITS, goal: { of: 'value', atMost: LCP_AT_MOST_MS } },
    },
    {
      ...{ ...common, unit: 'kB', name: 'scripts and styles of the list of transactions, gzip', runs: bundles },
      ...{ operations: options.runs, goal: { of: 'value', atMost: BUNDLE_AT_MOST_KB } },
    },
    ...[...latencies].map(([name, runs]): Measurement => ({
      ...{ ...common, name: `${name}: input to next paint, p75` },
      runs: runs.map(p75),
      ...{ operations: options.runs * TURNS, goal: { of: 'value', atMost: INTERACTION_AT_MOST_MS } },
      details: { medianMs: runs.map(median), slowestMs: runs.map((turns) => Math.max(...turns)) },
    })),
  ];
}

pin('load', process.pid);
const figures: Measurement[] = [];
for (const size of SIZES) figures.push(...(await consoleAt(size)));
tell(figures);
