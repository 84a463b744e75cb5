/** Languages of the console, each by its own name. English is the language of the source; the others have a file here. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** What this module needs of a browser. Tests of parts of the console run without one. */
type Browser = {
  readonly navigator?: { readonly languages: readonly string[] };
  readonly localStorage?: { getItem(key: string): string | null; setItem(key: string, value: string): void };
  readonly location?: { reload(): void };
};
const browser = globalThis as unknown as Browser;

const KEY = 'kontor-language';
/** Tags of the viewer's languages, preferred first. */
const wished = browser.navigator?.languages ?? [];
const baseOf = (tag: string): string => tag.split('-')[0] ?? tag;
const isLanguage = (tag: string | undefined | null): tag is Language => Object.keys(LANGUAGES).includes(tag ?? '');

function stored(): string | null {
  try {
    return browser.localStorage?.getItem(KEY) ?? null;
  } catch {
    // The browser denies access to its storage.
    return null;
  }
}

const chosen = stored();

/** Language of all texts: the stored choice, otherwise the browser's. It changes only with a reload. */
export const language: Language = isLanguage(chosen) ? chosen : (wished.map(baseOf).find(isLanguage) ?? 'en');

/** Locale of numbers and dates: the viewer's own variant of the language, for example `de-AT`. */
export const locale: string = wished.find((tag) => baseOf(tag) === language) ?? language;

/** Stores the language and reloads the page, because columns and labels are created once per page load. */
export function changeLanguage(to: string): void {
  if (!isLanguage(to) || to === language) return;
  browser.localStorage?.setItem(KEY, to);
  browser.location?.reload();
}
