// A browser with the console in it, and everything that it complained about.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { OPERATOR } from './console-service.js';

export type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
};

/** Light and dark, at a desk and on a phone. */
export const LOOKS: readonly Look[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 390 },
  { scheme: 'dark', width: 390 },
];

const PROGRAM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PATIENCE_MS = 20_000;
// In a container there is no sandbox to be had, and little shared memory. By its name this machine is one like any other:
// browsers trust plain HTTP to it less than to its number.
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  '--host-resolver-rules=MAP books.example 127.0.0.1',
];

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: PROGRAM, args: ARGUMENTS });

/** What a browser says of a service that goes away, in all its words. */
export const AWAY = /net::ERR_(?:CONNECTION_\w+|SOCKET_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED\w*)|503/;

/** Somebody at a browser of their own: cookies and tabs are nobody else's. */
export class Visitor {
  /** What went wrong and was not expected; a test that ends with any has failed. */
  readonly complaints: string[] = [];
  private readonly expected: RegExp[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly base: string,
  ) {}

  static async arrives(browser: Browser, url: string, look: Look = {}): Promise<Visitor> {
    const { width = 1280, height = 900, scheme = 'light' } = look;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const visitor = new Visitor(context, await context.newPage(), url);
    visitor.listen(visitor.page);
    return visitor;
  }

  /** Another tab of the same browser. */
  async tab(): Promise<Page> {
    const page = await this.context.newPage();
    this.listen(page);
    return page;
  }

  /** What a test brings about by itself is no complaint. */
  expects(...patterns: RegExp[]): void {
    this.expected.push(...patterns);
  }

  async goTo(path: string, page = this.page): Promise<void> {
    await page.goto(`${this.base}/console${path}`);
  }

  async signIn({ email, password }: { email: string; password: string } = OPERATOR, path = '/'): Promise<void> {
    await this.goTo(path);
    await this.fillIn(email, password);
    await this.page.locator('#main').waitFor();
  }

  async fillIn(email: string, password: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await this.page.getByLabel(/^Password/).fill(password);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Violations of the Web Content Accessibility Guidelines, A and AA, that are serious or worse, in one line each. */
  async barriers(): Promise<string[]> {
    // By the debugger, since the page's own policy lets no script in.
    await this.page.evaluate(await axeSource());
    const found = await this.page.evaluate<AxeResult>(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
    );
    return found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
      );
  }

  async cookies(): Promise<Awaited<ReturnType<BrowserContext['cookies']>>> {
    return this.context.cookies();
  }

  async leave(): Promise<void> {
    for (const page of this.context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.context.close();
  }

  private listen(page: Page): void {
    const complain = (what: string): void => {
      if (!this.expected.some((pattern) => pattern.test(what))) this.complaints.push(what);
    };
    page.on('pageerror', (error) => {
      complain(`thrown: ${String(error.stack)}`);
    });
    // Violations of the policy come as errors of the console, too.
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complain(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400)
        complain(`answered: ${response.status()} ${response.request().method()} ${response.url()}`);
    });
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? '';
      // What a page has asked for is called off when it is left.
      if (why !== 'net::ERR_ABORTED') complain(`failed: ${why} ${request.url()}`);
    });
  }
}

type AxeResult = {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
};

let axe: Promise<string> | undefined;
const axeSource = (): Promise<string> => (axe ??= readFile(AXE, 'utf8'));
