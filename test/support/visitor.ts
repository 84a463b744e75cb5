// Runs the console in a browser and collects all problems that the browser reports.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { OPERATOR } from './console-service.js';
import { wordsIn, type ShownLanguage, type Words } from './console-words.js';

export type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly language?: ShownLanguage;
};

/** The visitor's locale for dates and numbers, by language. */
const LOCALES = { en: 'en-GB', de: 'de-DE' } as const;

const PROGRAM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'wcag2aaa', 'best-practice'];
/** Rules whose result depends on colors. */
const COLOR_RULES = ['color-contrast', 'color-contrast-enhanced', 'link-in-text-block'];
const PATIENCE_MS = 45_000;
/**
 * Browser features that the tests do not need. The first two preload pages for every window's address bar, although no
 * window is visible. The others are those that Playwright disables by default, because this list replaces its list.
 */
const UNUSED = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'LensOverlay', 'MediaRouter', 'OptimizationHints'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose'],
  ...['PaintHolding', 'ThirdPartyStoragePartitioning'],
];
// Containers provide no sandbox and little shared memory. The host name simulates a remote service, because browsers
// trust plain HTTP to the loopback address more than to other hosts.
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  `--disable-features=${UNUSED.join()}`,
  '--host-resolver-rules=MAP books.example 127.0.0.1',
];

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: PROGRAM, args: ARGUMENTS });

/** Matches the messages with which a browser reports an unavailable service. */
export const AWAY = /net::ERR_(?:CONNECTION_\w+|SOCKET_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED\w*)|503/;

/** A user with a separate browser context, so that visitors do not share cookies or tabs. */
export class Visitor {
  /** Unexpected problems. A test fails if this list is not empty. */
  readonly complaints: string[] = [];
  private readonly expected: RegExp[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly base: string,
    readonly language: ShownLanguage,
  ) {}

  static async arrives(browser: Browser, url: string, look: Look = {}): Promise<Visitor> {
    const { width = 1280, height = 900, scheme = 'light', language = 'en' } = look;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      locale: LOCALES[language],
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const visitor = new Visitor(context, await context.newPage(), url, language);
    visitor.listen(visitor.page);
    return visitor;
  }

  /** Opens another tab of the visitor's browser. */
  async tab(): Promise<Page> {
    const page = await this.context.newPage();
    this.listen(page);
    return page;
  }

  /** Ignores complaints that match these patterns, because the test causes them on purpose. */
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
    await this.page.getByRole('textbox', { name: this.words('E-mail') }).fill(email);
    await this.page.getByRole('textbox', { name: this.words('Password') }).fill(password);
    await this.page.getByRole('button', { name: this.words('Sign in'), exact: true }).click();
  }

  /** Submits the open form, if any, after the session has ended elsewhere, and waits for the sign-in page. */
  async submitInVain(): Promise<void> {
    // The page may already have detected the end of the session, and closed the form.
    await this.page.evaluate("document.querySelector('[role=dialog] form')?.requestSubmit()");
    await this.page.getByText('Your session has ended.').waitFor();
  }

  /** Returns a console string in the visitor's language. */
  words(words: Words): string {
    return wordsIn(this.language, words);
  }

  /**
   * Returns violations of the Web Content Accessibility Guidelines, at all levels, and of best practices. With `only:
   * 'colors'`, checks only the rules whose result depends on colors.
   */
  async barriers({ only }: { readonly only?: 'colors' } = {}): Promise<string[]> {
    const runOnly = only === 'colors' ? COLOR_RULES : RULES;
    const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
    // Evaluates axe through the debugger, because the page's policy blocks injected scripts.
    const check = (): Promise<AxeResult | undefined> => this.page.evaluate(`window.axe?.run(document, ${options})`);
    let found = await check();
    if (found === undefined) {
      await this.page.evaluate(await axeSource());
      found = await check();
    }
    if (found === undefined) throw new Error('axe is not loaded.');
    return found.violations.flatMap(({ id, nodes }) =>
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
    // The browser also reports policy violations as console errors.
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
      // Ignores aborted requests, because leaving a page aborts its requests.
      if (why !== 'net::ERR_ABORTED') complain(`failed: ${why} ${request.url()}`);
    });
  }
}

type AxeResult = {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
};

let axe: Promise<string> | undefined;
const axeSource = (): Promise<string> => (axe ??= readFile(AXE, 'utf8'));
