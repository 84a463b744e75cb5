import type { Locator, Page } from 'playwright-core';

/** Performs a task in the console, with the mouse or with the keyboard alone. */
export type Hands = {
  readonly name: 'mouse' | 'keyboard';
  /** Number of clicks so far. */
  readonly clicks: number;
  /** Opens a page through the navigation. */
  goTo(label: string): Promise<void>;
  /** Presses a button, follows a link, or ticks a box. */
  press(target: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  /** Chooses an option in a field. Searches for the option if the field supports search. */
  choose(field: Locator, option: string): Promise<void>;
};

/** Members of a DOM element that are used by functions evaluated in the page. */
type Part = {
  readonly tabIndex: number;
  readonly disabled?: boolean;
  readonly getClientRects: () => { readonly length: number };
  readonly closest: (selector: string) => Part | null;
  readonly contains: (other: Part) => boolean;
  readonly compareDocumentPosition: (other: Part) => number;
};
type Screen = {
  readonly document: { readonly activeElement: Part; readonly querySelectorAll: (selector: string) => Iterable<Part> };
};

/** Whether the focus is already in the field's form, so that Tab leads to the field. */
const isInForm = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => {
    const { document } = globalThis as unknown as Screen;
    const form = (element as unknown as Part).closest('[role=dialog], form');
    return form !== null && form.contains(document.activeElement);
  });
const isSearchable = async (field: Locator): Promise<boolean> => (await field.getAttribute('readonly')) === null;

/** Uses the mouse and counts every click. Within a form, uses Tab to move between fields, as people do while typing. */
export class Mouse implements Hands {
  readonly name = 'mouse';
  clicks = 0;

  constructor(private readonly page: Page) {}

  goTo(label: string): Promise<void> {
    return this.press(this.page.getByRole('navigation').getByRole('link', { name: label, exact: true }));
  }

  async press(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  async type(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    if (!(await isInForm(field))) await this.press(field);
    await field.fill(text);
  }

  async choose(field: Locator, option: string): Promise<void> {
    if (await isSearchable(field)) await this.type(field, option);
    else await this.press(field);
    await this.press(optionOf(this.page, option));
  }
}

const optionOf = (page: Page, name: string): Locator =>
  page
    .getByRole('option')
    .filter({ has: page.getByText(name, { exact: true }) })
    .first();

/** Returns the number of times to press Tab to reach an element. If negative, Shift+Tab must be pressed instead. */
const stepsTo = (target: Locator): Promise<number> =>
  target.evaluate((element) => {
    const { document } = globalThis as unknown as Screen;
    const { activeElement } = document;
    const goal = element as unknown as Part;
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')];
    const stops = all.filter((one) => one.tabIndex >= 0 && one.disabled !== true && one.getClientRects().length > 0);
    const PRECEDING = 2;
    const before = stops.filter((one) => activeElement.compareDocumentPosition(one) & PRECEDING).length;
    const steps = stops.indexOf(goal) - before;
    return stops.includes(activeElement) || steps < 0 ? steps : steps + 1;
  });
const MOST_TRIES = 10;

/** Uses only Tab, Enter, Space, the arrow keys, and Ctrl-K. */
export class Keyboard implements Hands {
  readonly name = 'keyboard';
  readonly clicks = 0;

  constructor(private readonly page: Page) {}

  async goTo(label: string): Promise<void> {
    await this.page.getByRole('navigation').first().waitFor();
    await this.page.keyboard.press('Control+k');
    const found = this.page.getByRole('dialog');
    await found.getByRole('combobox').waitFor();
    await this.page.keyboard.type(label);
    await found.getByRole('group', { name: 'Pages' }).getByRole('option', { name: label }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await found.waitFor({ state: 'detached' });
  }

  async press(target: Locator): Promise<void> {
    await this.reach(target);
    await this.page.keyboard.press((await target.getAttribute('type')) === 'checkbox' ? 'Space' : 'Enter');
  }

  async type(field: Locator, text: string): Promise<void> {
    await this.reach(field);
    if ((await field.getAttribute('type')) === 'date') await this.page.keyboard.type(digitsOf(text));
    else {
      await this.page.keyboard.press('Control+a');
      await this.page.keyboard.insertText(text);
    }
    if ((await field.inputValue()) !== text) throw new Error(`The keyboard typed ${await field.inputValue()}.`);
  }

  async choose(field: Locator, option: string): Promise<void> {
    if (await isSearchable(field)) await this.type(field, option);
    else {
      await this.reach(field);
      await this.page.keyboard.press('Space');
    }
    const wanted = optionOf(this.page, option);
    await wanted.waitFor();
    for (let press = 0; press < MOST_TRIES; press += 1) {
      if ((await wanted.getAttribute('data-combobox-selected')) !== null) break;
      await this.page.keyboard.press('ArrowDown');
    }
    await this.page.keyboard.press('Enter');
    await wanted.waitFor({ state: 'detached' });
  }

  /** Moves the focus to an element. @throws Error if Tab does not lead to it */
  private async reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let tried = 0; tried < MOST_TRIES; tried += 1) {
      const steps = await stepsTo(target);
      if (steps === 0) return;
      for (let step = 0; step < Math.abs(steps); step += 1)
        await this.page.keyboard.press(steps > 0 ? 'Tab' : 'Shift+Tab');
    }
    throw new Error(`Tab does not lead to ${String(target)}.`);
  }
}

/**
 * Returns the keys that enter a date in a date field, in the order of the browser's own language. For `2026-02-28`:
 * `02282026`.
 */
const digitsOf = (date: string): string => [date.slice(5, 7), date.slice(8), date.slice(0, 4)].join('');
