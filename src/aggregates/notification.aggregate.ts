import { z } from 'zod';
import { type Aggregate, domain, type EventOf } from '../eventsourcing/aggregate.js';
import { IdList, line, paragraph, RecordId } from './fields.js';
import { Role } from './user.aggregate.js';

export const NotificationType = z.enum(['INFO', 'SUCCESS', 'WARNING', 'ERROR']);
export type NotificationType = z.output<typeof NotificationType>;

/** Maximum number of recipients per record. A notification to more recipients needs several records. */
export const MAX_NAMED = 1_000;
const MAX_TITLE_LENGTH = 200;
const MAX_BODY_LENGTH = 2_000;
const MAX_LINK_LENGTH = 1_000;

/** A path on this service, or an https URL. Excludes links that a browser would execute. */
const Link = line(MAX_LINK_LENGTH).refine(
  (link) => /^\/(?![/\\])/.test(link) || (/^https:\/\//i.test(link) && URL.canParse(link)),
  'Must be an HTTPS URL, or a path that begins with a single slash.',
);
const People = z
  .array(RecordId)
  .min(1)
  .max(MAX_NAMED)
  .transform((ids) => [...new Set(ids)]);

type Targets = {
  readonly broadcast?: true;
  readonly userIds?: readonly string[];
  readonly roles?: readonly Role[];
  readonly branchIds?: readonly string[];
};
const isTargeted = ({ userIds, roles, branchIds }: Targets): boolean =>
  userIds !== undefined || roles !== undefined || branchIds !== undefined;

export const SendAdminNotification = z
  .strictObject({
    title: line(MAX_TITLE_LENGTH),
    body: paragraph(MAX_BODY_LENGTH),
    type: NotificationType.default('INFO'),
    link: z.exactOptional(Link.nullable()),
    broadcast: z.exactOptional(z.literal(true)),
    userIds: z.exactOptional(People),
    roles: z.exactOptional(
      z
        .array(Role)
        .min(1)
        .max(10)
        .transform((roles) => [...new Set(roles)]),
    ),
    branchIds: z.exactOptional(
      IdList.refine((ids) => ids.length > 0, 'Must name at least one branch.').meta({ minItems: 1 }),
    ),
  })
  .refine((targets) => (targets.broadcast === true) !== isTargeted(targets), {
    error: 'Specify either broadcast, or at least one of userIds, roles and branchIds.',
    path: ['broadcast'],
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'SendAdminNotificationDto' });
export type SendAdminNotification = z.output<typeof SendAdminNotification>;

/**
 * The recipients. For `everyone` and `roles`: users whose own streams show them as active, with one of the roles, at
 * the event's position in the history. For `users`: the listed users, who were active when the event was appended.
 */
export const Audience = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everyone') }),
  z.object({ kind: z.literal('roles'), roles: z.array(Role) }),
  z.object({ kind: z.literal('users'), userIds: z.array(z.string()) }),
]);
export type Audience = z.output<typeof Audience>;

const Content = z.object({ title: z.string(), body: z.string(), link: z.string().nullable() });
/** A record that a notification names, and the reason. Earlier events lack the reason. */
const Subject = z.object({ id: z.string(), name: z.string(), cause: z.exactOptional(z.string()) });
export type Subject = z.output<typeof Subject>;

const NotificationSent = z.object({
  ...Content.shape,
  type: NotificationType,
  audience: Audience,
  /** Present if later events may add more records. */
  subjects: z.exactOptional(z.array(Subject)),
});
export type NewNotification = Omit<z.output<typeof NotificationSent>, 'subjects'>;

export const notificationEvents = {
  NotificationSent: domain('CREATE', 'notification', NotificationSent),
  /** Records were added, so the notification becomes unread again for its recipients. */
  NotificationAmended: domain('UPDATE', 'notification', Content.extend({ subjects: z.array(Subject) })),
};
export type NotificationEvent = EventOf<typeof notificationEvents>;
export type Notification =
  | { readonly status: 'absent' }
  | ({ readonly status: 'sent'; readonly subjects: readonly Subject[] } & NewNotification);

/** A notification, stored once for any number of recipients. */
export const notification: Aggregate<Notification, NotificationEvent> = {
  name: 'notification',
  events: notificationEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'NotificationSent')
      return { status: 'sent', ...event.data, subjects: event.data.subjects ?? [] };
    if (state.status === 'absent') return state;
    return { ...state, ...event.data, subjects: [...state.subjects, ...event.data.subjects] };
  },
};

/** Idempotent, because a retry uses the same notification id. */
export const sendNotification = (state: Notification, data: NewNotification): NotificationEvent[] =>
  state.status === 'absent' ? [{ type: 'NotificationSent', data }] : [];

/** A report about records. `describe` creates the content from all records that the notification names. */
export type Report = Pick<NewNotification, 'type' | 'audience'> & {
  readonly subjects: readonly Subject[];
  readonly describe: (subjects: readonly Subject[]) => z.output<typeof Content>;
};

/**
 * Sends a notification about records, or adds the records to the existing notification. Returns `[]` if the
 * notification already names all of them.
 */
export function reportSubjects(state: Notification, { subjects, describe, ...facts }: Report): NotificationEvent[] {
  const known = state.status === 'absent' ? [] : state.subjects;
  const added = subjects.filter(({ id }) => known.every((one) => one.id !== id));
  if (added.length === 0) return [];
  const data = { ...describe([...known, ...added]), subjects: added };
  if (state.status === 'absent') return [{ type: 'NotificationSent', data: { ...data, ...facts } }];
  return [{ type: 'NotificationAmended', data }];
}

/**
 * Maximum number of notifications marked as read individually. Beyond this number, all notifications are marked as
 * read, to limit the size of the inbox state.
 */
const MAX_SINGLE_READS = 2_000;

export const notificationInboxEvents = {
  NotificationRead: domain('UPDATE', 'notification', z.object({ notificationId: z.string() }), {
    subject: ({ notificationId }) => notificationId,
  }),
  /** Marks as read all of the person's notifications that precede this event in the history. */
  AllNotificationsRead: domain('UPDATE', 'notification', z.object({})),
};
export type NotificationInboxEvent = EventOf<typeof notificationInboxEvents>;

/**
 * `sweeps` counts AllNotificationsRead events. `readIds` lists the notifications read individually since the last of
 * these events. An id is repeated if the notification was extended and then read again.
 */
export type NotificationInbox = { readonly sweeps: number; readonly readIds: readonly string[] };

/** The notifications that a person has read. The stream id is the id of the user or operator. */
export const notificationInbox: Aggregate<NotificationInbox, NotificationInboxEvent> = {
  name: 'notification-inbox',
  events: notificationInboxEvents,
  initial: { sweeps: 0, readIds: [] },
  evolve: (state, event) => {
    switch (event.type) {
      case 'NotificationRead':
        return { ...state, readIds: [...state.readIds, event.data.notificationId] };
      case 'AllNotificationsRead':
        return { sweeps: state.sweeps + 1, readIds: [] };
    }
  },
};

/**
 * A person's notification in the read model. `sweeps` is the number of AllNotificationsRead events that the model has
 * processed, and `timesRead` is the number of the notification's NotificationRead events since the last of these.
 */
export type SeenNotification = {
  readonly notificationId: string;
  readonly isRead: boolean;
  readonly sweeps: number;
  readonly timesRead: number;
};

/** The notification existed when the model was read, so any later event in the inbox has marked it as read. */
export function isReadIn(
  { sweeps, readIds }: NotificationInbox,
  { notificationId, ...seen }: SeenNotification,
): boolean {
  if (seen.isRead || sweeps > seen.sweeps) return true;
  return readIds.filter((id) => id === notificationId).length > seen.timesRead;
}

export function readNotification(state: NotificationInbox, seen: SeenNotification): NotificationInboxEvent[] {
  if (isReadIn(state, seen)) return [];
  if (state.readIds.length >= MAX_SINGLE_READS) return [{ type: 'AllNotificationsRead', data: {} }];
  return [{ type: 'NotificationRead', data: { notificationId: seen.notificationId } }];
}

/** Returns `[]` if the person has no unread notifications. */
export const readAllNotifications = (_: NotificationInbox, { unread }: { unread: number }): NotificationInboxEvent[] =>
  unread === 0 ? [] : [{ type: 'AllNotificationsRead', data: {} }];
