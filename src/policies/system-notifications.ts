import { notification, sendNotification, type NewNotification } from '../aggregates/notification.aggregate.js';
import type { CommandRunner } from '../eventsourcing/command-runner.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { inReactionTo, type Cause } from '../eventsourcing/policy.js';

// Must never change: repeated notifications must keep their ids.
const NAMESPACE = '6f2a1d7c-93c5-5b1e-8a4f-0d5b7e6c9a12';
export const noticeId = (...about: readonly string[]): string => nameUuid(JSON.stringify(about), NAMESPACE);

/** Sends a notification of the service to people of a tenant (operators for the platform tenant), once per id. */
export async function sendSystemNotification(
  runner: CommandRunner,
  cause: Cause,
  { tenantId, id, ...content }: NewNotification & { readonly tenantId: string; readonly id: string },
): Promise<void> {
  const send = () => runner.execute(notification, { tenantId, id }, content, sendNotification);
  await inReactionTo(cause, 'notification', send, tenantId);
}
