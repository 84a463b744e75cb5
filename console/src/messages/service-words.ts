import { textsOfKind } from './catalogue';
import { locale } from './language';
import { ServiceTexts } from './service-texts';

// Errors are the messages of rejected requests. Reports are job results, notifications and error log titles.
const texts = new ServiceTexts([...textsOfKind('error'), ...textsOfKind('report')], locale);

/**
 * Returns a message from the service in the viewer's language: an error message, a job result, a notification, or the
 * title of an error log entry.
 */
export const serviceWords = (text: string): string => texts.wordsFor(text);
