import { answers, query } from '../eventsourcing/handler.js';
import {
  FORWARDER,
  forwarder,
  rewindMarks,
  type Forwarder,
  type Rewind,
  type RewindStart,
} from '../aggregates/forwarder.aggregate.js';
import { MARKS, type Marks } from '../projecting/marks.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';

type RewindRow = { readonly from: RewindStart; readonly upTo: number; readonly requestedAt: string };

export type ForwarderRow = {
  readonly state: 'RUNNING' | 'PAUSED' | 'WAITING_FOR_RESUME';
  /** Instant at which it was paused or began to wait. */
  readonly pausedAt: string | null;
  readonly rewind:
    (RewindRow & { readonly position: number; readonly published: number; readonly progress: number }) | null;
  /** Number of requested rewinds that have not started. */
  readonly waitingRewinds: number;
  readonly lastRewind:
    | (RewindRow & {
        readonly status: 'DONE' | 'CANCELLED';
        readonly published: number | null;
        readonly endedAt: string;
      })
    | null;
};

/** State of the forwarder, whichever replica leads it. */
export class GetForwarder extends query<ForwarderRow>() {}

async function progressOf(
  events: EventStore,
  marks: Marks,
  rewind: Rewind,
): Promise<NonNullable<ForwarderRow['rewind']>> {
  const { from, upTo, revision } = rewind;
  const stream = streamName(forwarder.name, PLATFORM_TENANT, FORWARDER);
  const [requested] = (await events.readStream(stream, { from: revision, maxCount: 1 })).events;
  const names = rewindMarks(requested?.id ?? '');
  const first = 'position' in from ? from.position : 0;
  const position = Math.max(first, await marks.load(names.position));
  const published = Math.max(0, await marks.load(names.published));
  const progress = Math.floor((100 * (position - first)) / Math.max(1, upTo - first));
  return { ...requestOf(rewind), position, published, progress };
}

const requestOf = ({ from, upTo, requestedAt }: Rewind): RewindRow => ({ from, upTo, requestedAt });

const stateOf = (pause: Forwarder['pause']): ForwarderRow['state'] => {
  if (!pause) return 'RUNNING';
  return pause.reason === 'OPERATOR' ? 'PAUSED' : 'WAITING_FOR_RESUME';
};

export const forwarderQueryHandlers = [
  answers(GetForwarder, [RecordReader, EVENT_STORE, MARKS], async (reader, events, marks) => {
    const { pause, rewinds, lastRewind } = (await reader.read(forwarder, PLATFORM_TENANT, FORWARDER)).state;
    const [first, ...waiting] = rewinds;
    return {
      state: stateOf(pause),
      pausedAt: pause?.since ?? null,
      rewind: first ? await progressOf(events, marks, first) : null,
      waitingRewinds: waiting.length,
      lastRewind: lastRewind && {
        ...requestOf(lastRewind),
        status: lastRewind.published === null ? 'CANCELLED' : 'DONE',
        published: lastRewind.published,
        endedAt: lastRewind.endedAt,
      },
    };
  }),
];
