import { textsOfKind } from './catalogue';
import { locale } from './language';
import { ServiceTexts } from './service-texts';

// Errors are the messages of rejected requests. Reports are results of jobs, notifications and titles of the error log.
const texts = new ServiceTexts([...textsOfKind('error'), ...textsOfKind('report')], locale);

/**
 * A text of the service in the viewer's language: an error message, the result of a job, a notification, or the title
 * of an entry in the error log.
 */
export const serviceWords = (text: string): string => texts.wordsFor(text);
