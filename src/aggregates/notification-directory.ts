import type { SeenNotification } from './notification-inbox.aggregate.js';
import type { Audience, SendAdminNotification } from './notification.aggregate.js';

export const NOTIFICATION_DIRECTORY = Symbol('NOTIFICATION_DIRECTORY');

/** A user of a tenant, or an operator of the platform, by the tenant of their streams. */
export type Person = { readonly tenantId: string; readonly userId: string };

/** What commands about notifications need to know of others' records. Answers from what is stored when it is asked. */
export interface NotificationDirectory {
  /**
   * Whom the request means. Several audiences where it names more people than one record may.
   * @throws DomainError not_found with the path of an unknown user or branch
   */
  addressed(
    tenantId: string,
    request: SendAdminNotification,
  ): Promise<{ readonly audiences: readonly Audience[]; readonly recipientCount: number }>;
  /** To how many browsers a notification for this audience is pushed now. */
  countPushes(tenantId: string, audience: Audience): Promise<number>;
  /** A notification as its person sees it; undefined where it is not for them. */
  find(person: Person, notificationId: string): Promise<SeenNotification | undefined>;
  unreadCount(person: Person): Promise<number>;
  /** Ids of the person's push subscriptions, the oldest first. */
  subscriptionsOf(person: Person): Promise<readonly string[]>;
}
