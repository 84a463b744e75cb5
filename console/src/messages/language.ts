/**
 * The console's languages, each with its native name. The source strings are in English. Every other language has a
 * file in this folder. The file for English contains only messages of the service that the console rewrites.
 */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** The browser features that this module uses. They are optional, because some console tests run without a browser. */
type Browser = {
  readonly navigator?: { readonly languages: readonly string[] };
  readonly localStorage?: { getItem(key: string): string | null; setItem(key: string, value: string): void };
  readonly location?: { reload(): void };
};
const browser = globalThis as unknown as Browser;

const KEY = 'kontor-language';
/** The viewer's language tags, in order of preference. */
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

/**
 * Display language: the stored choice or, if there is none, the browser's language. Changes only when the page is
 * reloaded.
 */
export const language: Language = isLanguage(chosen) ? chosen : (wished.map(baseOf).find(isLanguage) ?? 'en');

/** Locale of numbers and dates: the viewer's own variant of the language, for example `de-AT`. */
export const locale: string = wished.find((tag) => baseOf(tag) === language) ?? language;

/** Stores the language and reloads the page, because columns and labels are created only once per page load. */
export function changeLanguage(to: string): void {
  if (!isLanguage(to) || to === language) return;
  browser.localStorage?.setItem(KEY, to);
  browser.location?.reload();
}
