import type { NewNotification } from '../aggregates/notification.aggregate.js';
import type { PushMessage } from '../security/push-client.js';

/** Smaller than an encrypted record allows, because some push services accept no more. */
export const MAX_PAYLOAD_BYTES = 3_000;
/** Maximum age of a pushed notification. Older ones appear in the list only. */
export const PUSH_WITHIN_MS = 24 * 60 * 60 * 1_000;

const bytesOf = (content: object): number => Buffer.byteLength(JSON.stringify(content));

/** The payload for the browser. Truncates a body that is too long, and omits a link that would leave it no room. */
export function pushPayload(notificationId: string, { title, body, type, link }: NewNotification): Buffer {
  const fixed = { title, type, notificationId };
  const shownLink = bytesOf({ ...fixed, link }) > MAX_PAYLOAD_BYTES / 2 ? null : link;
  const withBody = (text: string) => ({ ...fixed, body: text, link: shownLink });
  if (bytesOf(withBody(body)) <= MAX_PAYLOAD_BYTES) return Buffer.from(JSON.stringify(withBody(body)));
  const characters = Array.from(body);
  let [fits, tooLong] = [0, characters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytesOf(withBody(`${characters.slice(0, middle).join('')}…`)) <= MAX_PAYLOAD_BYTES) fits = middle;
    else tooLong = middle;
  }
  return Buffer.from(JSON.stringify(withBody(`${characters.slice(0, fits).join('')}…`)));
}

/** `ageMs`: time since the notification was sent. */
export const pushMessage = (id: string, content: NewNotification, ageMs: number): PushMessage => ({
  payload: pushPayload(id, content),
  ttlSeconds: Math.max(60, Math.floor((PUSH_WITHIN_MS - Math.max(0, ageMs)) / 1_000)),
  urgency: content.type === 'ERROR' || content.type === 'WARNING' ? 'high' : 'normal',
  // A repeated push replaces an earlier one that the push service has not delivered yet.
  topic: id.replaceAll('-', '').slice(0, 32),
});
