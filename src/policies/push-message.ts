import type { NewNotification } from '../aggregates/notification.aggregate.js';
import type { PushMessage } from '../platform/push-client.js';

/** Less than a record holds: some push services take no more. */
export const MAX_PAYLOAD_BYTES = 3_000;
/** What is older is not worth waking anybody for. It is in the list all the same. */
export const PUSH_WITHIN_MS = 24 * 60 * 60 * 1_000;

const bytesOf = (content: object): number => Buffer.byteLength(JSON.stringify(content));

/** What a browser is shown; a body that is too long is cut, and a link that leaves no room for any is left out. */
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

/** `ageMs`: how long ago it was sent. */
export const pushMessage = (id: string, content: NewNotification, ageMs: number): PushMessage => ({
  payload: pushPayload(id, content),
  ttlSeconds: Math.max(60, Math.floor((PUSH_WITHIN_MS - Math.max(0, ageMs)) / 1_000)),
  urgency: content.type === 'ERROR' || content.type === 'WARNING' ? 'high' : 'normal',
  // The same message once more takes the place of one that still waits for its browser.
  topic: id.replaceAll('-', '').slice(0, 32),
});
