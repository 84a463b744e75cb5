import { AckPolicy, DeliverPolicy, type Consumer, type ConsumerConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { StoredMessage } from '../../ports/broker.js';
import type { Clock } from '../../ports/time.js';
import type { Session } from './broker.connection.js';
import { decode } from './broker.message.js';
import { covers, patternOf } from './broker.subjects.js';

/** Messages that are asked for at once. */
const BATCH = 200;
const FETCH_MS = 2_000;
/** A reader that nobody closed (its process died) is removed by the server. */
const INACTIVE_MS = 30_000;

export type StreamRange = { readonly after: number; readonly limit: number; readonly subjectPrefix: string };
type Source = { readonly stream: string; readonly subjects: readonly string[]; readonly clock: Clock };

/**
 * Reads stored messages through a consumer of its own, which sees those that were there when it began.
 * @throws Error of the driver, or when it takes longer than `maxMs`
 */
export async function readStream(
  { js, manager }: Session,
  { stream, subjects, clock }: Source,
  range: StreamRange,
  maxMs: number,
): Promise<StoredMessage[]> {
  const endMs = clock.monotonicMs() + maxMs;
  const { name, num_pending: pending } = await manager.consumers.add(stream, consumerOf(range, subjects));
  const found: StoredMessage[] = [];
  try {
    if (pending === 0) return found;
    const consumer = await js.consumers.get(stream, name);
    for (let left = pending; left > 0 && found.length < range.limit;) {
      const batch = Math.min(left, BATCH, range.subjectPrefix === '' ? range.limit - found.length : BATCH);
      const seen = await fetchInto(found, consumer, batch, range);
      if (clock.monotonicMs() > endMs) throw new Error(`reading takes longer than ${maxMs} ms`);
      left -= seen;
      // Fewer than were there: they were removed meanwhile, they are late, or the connection is lost, which throws here.
      if (seen < batch) left = Math.min(left, (await consumer.info()).num_pending);
    }
    return found;
  } finally {
    // Where this fails the server forgets it by itself.
    manager.consumers.delete(stream, name).catch(() => undefined);
  }
}

function consumerOf({ after, subjectPrefix }: StreamRange, subjects: readonly string[]): Partial<ConsumerConfig> {
  const pattern = patternOf(subjectPrefix);
  const isTaken = pattern !== undefined && subjects.some((subject) => covers(subject, pattern));
  return {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: Math.max(0, after) + 1,
    inactive_threshold: nanos(INACTIVE_MS),
    mem_storage: true,
    num_replicas: 1,
    ...(isTaken && { filter_subject: pattern }),
  };
}

/** How many messages came, those that are not in the range included. */
async function fetchInto(
  found: StoredMessage[],
  consumer: Consumer,
  batch: number,
  { after, limit, subjectPrefix }: StreamRange,
): Promise<number> {
  let seen = 0;
  for await (const message of await consumer.fetch({ max_messages: batch, expires: FETCH_MS })) {
    seen += 1;
    // A consumer whose start lies beyond the end of the stream begins at that end.
    const isWanted = message.seq > after && message.subject.startsWith(subjectPrefix) && found.length < limit;
    if (isWanted) found.push(decode(message));
  }
  return seen;
}
