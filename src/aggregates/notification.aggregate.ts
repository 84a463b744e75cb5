import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { IdList, line, paragraph, RecordId } from './fields.js';
import { Role } from './user.aggregate.js';

export const NotificationType = z.enum(['INFO', 'SUCCESS', 'WARNING', 'ERROR']);
export type NotificationType = z.output<typeof NotificationType>;

/** Maximum recipients per record. Senders with more recipients create several records. */
export const MAX_NAMED = 1_000;
const MAX_TITLE_LENGTH = 200;
const MAX_BODY_LENGTH = 2_000;
const MAX_LINK_LENGTH = 1_000;

/** A path on this service, or an https address. Excludes links that a browser would execute. */
const Link = line(MAX_LINK_LENGTH).refine(
  (link) => /^\/(?![/\\])/.test(link) || (/^https:\/\//i.test(link) && URL.canParse(link)),
  'Must be a path that begins with one slash, or an https address.',
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
    branchIds: z.exactOptional(IdList.refine((ids) => ids.length > 0, 'Must name a branch.').meta({ minItems: 1 })),
  })
  .refine((targets) => (targets.broadcast === true) !== isTargeted(targets), {
    error: 'Give either broadcast, or at least one of userIds, roles and branchIds.',
    path: ['broadcast'],
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'SendAdminNotificationDto' });
export type SendAdminNotification = z.output<typeof SendAdminNotification>;

/**
 * The recipients. For `everyone` and `roles`: users who were active, and had one of the roles, at the event's position
 * in the history, according to their own streams. For `users`: the listed users, known to be active at that time.
 */
export const Audience = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everyone') }),
  z.object({ kind: z.literal('roles'), roles: z.array(Role) }),
  z.object({ kind: z.literal('users'), userIds: z.array(z.string()) }),
]);
export type Audience = z.output<typeof Audience>;

const NotificationSent = z.object({
  title: z.string(),
  body: z.string(),
  type: NotificationType,
  link: z.string().nullable(),
  audience: Audience,
});
export type NewNotification = z.output<typeof NotificationSent>;

export const notificationEvents = {
  NotificationSent: domain('CREATE', 'notification', NotificationSent),
};
export type NotificationEvent = EventOf<typeof notificationEvents>;
export type Notification = { readonly status: 'absent' } | ({ readonly status: 'sent' } & NewNotification);

/** A notification, stored once for any number of recipients. */
export const notification: Aggregate<Notification, NotificationEvent> = {
  name: 'notification',
  events: notificationEvents,
  initial: { status: 'absent' },
  evolve: (_, event) => ({ status: 'sent', ...event.data }),
};

/** Idempotent: a repeated notification has the same id. */
export const sendNotification = (state: Notification, data: NewNotification): NotificationEvent[] =>
  state.status === 'absent' ? [{ type: 'NotificationSent', data }] : [];
