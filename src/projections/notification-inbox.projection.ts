import type { NotificationInboxEvent } from '../aggregates/notification.aggregate.js';
import type { OperatorEvent } from '../aggregates/operator.aggregate.js';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { keyedBy } from './record-projection.js';

/** A range of positions in which a person was active with one role. `to` is null while the range is open. */
export type Stay = { readonly from: number; readonly to: number | null; readonly role: string | null };
/** Marks all notifications up to and including the event at `position` as read. */
export type Sweep = { readonly position: number; readonly at: string };
/** Marks a notification as read, unless it is extended after `position`. */
export type SingleRead = { readonly id: string; readonly at: string; readonly position: number };

/** The state that makes a notification list personal. There is one small document for each person. */
export type NotificationInboxView = {
  readonly id: string;
  readonly role: string | null;
  readonly isActive: boolean;
  /** The periods in which the person was active with a role, oldest first. */
  readonly stays: readonly Stay[];
  /** Total number of sweeps. `sweeps` contains only the latest ones, oldest first. */
  readonly sweepCount: number;
  readonly sweeps: readonly Sweep[];
  /**
   * Notifications that have been read individually since the last sweep, oldest first. A notification is repeated if it
   * was extended and then read again.
   */
  readonly reads: readonly SingleRead[];
  /** The latest individual reads before the last sweep, oldest first. They only contain the times of reading. */
  readonly earlierReads: readonly SingleRead[];
};

/**
 * These limits exceed any realistic number of role changes and suspensions, and the sweeps of three years. Beyond a
 * limit, the projection removes the oldest entries.
 */
const MAX_STAYS = 200;
const MAX_SWEEPS = 1_000;
const MAX_EARLIER_READS = 500;

export const notificationInboxes = { ...keyedBy<NotificationInboxView>('notification_inboxes', 'id'), version: 4 };

type Event = UserEvent | OperatorEvent | NotificationInboxEvent;

export const notificationInboxProjection: Projection<NotificationInboxView, Event> = {
  model: notificationInboxes,
  sources: ['user', 'operator', 'notification-inbox'],
  recordsOf: [],
  documents: ofRecord,
  // The inbox's stream has the id of the user or operator, so its first event is not the document's first event.
  begins: ({ type }) => type === 'UserCreated' || type === 'OperatorCreated',
  evolve: (view, event) => {
    switch (event.type) {
      case 'UserCreated':
        return begun(event, event.data.role, event.data.isActive);
      case 'OperatorCreated':
        return begun(event, null, true);
      case 'UserDeleted':
      case 'OperatorDeleted':
        return undefined;
      default:
        return view && changed(view, event);
    }
  },
};

function begun({ recordId: id, position }: Recorded, role: string | null, isActive: boolean): NotificationInboxView {
  const stays = isActive ? [{ from: position, to: null, role }] : [];
  return { id, role, isActive, stays, sweepCount: 0, sweeps: [], reads: [], earlierReads: [] };
}

type Change = Exclude<Recorded<Event>, { type: 'UserCreated' | 'OperatorCreated' | 'UserDeleted' | 'OperatorDeleted' }>;

function changed(view: NotificationInboxView, event: Change): NotificationInboxView {
  const { position } = event;
  switch (event.type) {
    case 'UserUpdated':
      return stayingAs(view, { role: event.data.changes.role ?? view.role, isActive: view.isActive }, position);
    case 'UserDeactivated':
      return stayingAs(view, { role: view.role, isActive: false }, position);
    case 'UserReactivated':
      return stayingAs(view, { role: view.role, isActive: true }, position);
    case 'NotificationRead': {
      const read = { id: event.data.notificationId, at: event.metadata.timestamp, position };
      return { ...view, reads: [...view.reads, read] };
    }
    case 'AllNotificationsRead': {
      const sweeps = [...view.sweeps, { position, at: event.metadata.timestamp }].slice(-MAX_SWEEPS);
      const earlierReads = [...view.earlierReads, ...view.reads].slice(-MAX_EARLIER_READS);
      return { ...view, sweepCount: view.sweepCount + 1, sweeps, reads: [], earlierReads };
    }
    default:
      return view;
  }
}

/** Ends the current stay and starts another one if the role or `isActive` has changed. */
function stayingAs(
  view: NotificationInboxView,
  now: Pick<NotificationInboxView, 'role' | 'isActive'>,
  position: number,
): NotificationInboxView {
  if (now.role === view.role && now.isActive === view.isActive) return view;
  const ended = view.stays.map((stay) => (stay.to === null ? { ...stay, to: position } : stay));
  const stays = now.isActive ? [...ended, { from: position, to: null, role: now.role }] : ended;
  return { ...view, ...now, stays: stays.slice(-MAX_STAYS) };
}
