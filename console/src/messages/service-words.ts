import { textsOfKind } from './catalogue';
import { locale } from './language';
import { ServiceTexts } from './service-texts';

// Errors are the messages of rejected requests. Reports are job results, notifications and error log titles. The English
// catalogue contains only messages with API names, such as `customerId`, or with dates, which are shown in the viewer's
// format.
const texts = new ServiceTexts([...textsOfKind('error'), ...textsOfKind('report')], locale);

/**
 * Translates a message from the service into the viewer's language. The message is an error message, a job result, a
 * notification, or the title of an error log entry.
 */
export const serviceWords = (text: string): string => grouped(texts.wordsFor(text));

const figures = new Intl.NumberFormat(locale);

/** Adds the thousands separators of figures in untranslated job results. */
const grouped = (text: string): string =>
  text.replaceAll(/\b\d{4,}(?= (?:bytes|documents|events)\b)/g, (digits) => figures.format(Number(digits)));

/** Translates a message that contains values, such as a code. Returns undefined for unknown messages and fixed ones. */
export const wordsWithValues = (text: string): string | undefined => texts.wordsWithValues(text);
