import { inSentence, t } from '../messages/catalogue';

/** Names of the service's parts that act on their own initiative. */
const PARTS: Readonly<Record<string, string>> = {
  booking: t('booking'),
  'category-learning': inSentence(t('Category choices')),
  healing: t('booking'),
  jobs: inSentence(t('Jobs')),
  'late-entry-watch': inSentence(t('Late entries')),
  notification: inSentence(t('Notifications')),
  push: inSentence(t('Push delivery')),
  restoration: t('restoration of records'),
  'rule-application': t('rule'),
  'tenant-seeding': t('creation of the tenant'),
};

/** Names the service as an actor. Parts without a name are shown with their technical name. */
export const serviceActorWords = (name: string): string => t('The service ({name})', { name: PARTS[name] ?? name });
