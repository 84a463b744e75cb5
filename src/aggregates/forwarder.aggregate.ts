import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict } from '../eventsourcing/domain-error.js';

export const FORWARDER = 'integration-events';
/** Position before the first event. A forwarder that resumes from this position publishes the whole history. */
export const BEGINNING = -1;

/** Names of a rewind's checkpoints, which store the last processed position and the number of published events. */
export const rewindMarks = (rewindId: string): { readonly position: string; readonly published: string } => ({
  position: `rewind.${rewindId}`,
  published: `rewind.${rewindId}~published`,
});

// Start of a rewind: the position of an event, or the first event recorded at or after an instant.
export const RewindStart = z.union([z.object({ position: z.number() }), z.object({ instant: z.string() })]);
export type RewindStart = z.output<typeof RewindStart>;

/** Selects the messages that a rewind republishes, by tenant and by globs for message types. Default: all messages. */
const RewindFilter = z.object({
  tenantId: z.exactOptional(z.string()),
  types: z.exactOptional(z.array(z.string())),
});
export type RewindFilter = z.output<typeof RewindFilter>;
export const RewindRequest = RewindFilter.extend({ from: RewindStart });

const Instant = z.iso.datetime();
const PauseReason = z.enum(['OPERATOR', 'CHECKPOINT_MISSING']);

export const forwarderEvents = {
  /**
   * The forwarder has started to process this history. After this event, a missing checkpoint means that a backup was
   * restored or that the read models were lost.
   */
  ForwarderStarted: technical(z.object({ startedAt: Instant })),
  ForwarderPaused: domain('UPDATE', 'forwarder', z.object({ reason: PauseReason, pausedAt: Instant })),
  /** `after`: position after which to continue; null to continue at the checkpoint. */
  ForwarderResumed: domain('UPDATE', 'forwarder', z.object({ after: z.number().nullable(), resumedAt: Instant })),
  /**
   * Requests the republication of all public events from position `from` up to and including position `upTo`. Requests
   * without `upTo` come from earlier versions of the service, which have already executed them.
   */
  ForwarderRewindRequested: domain(
    'OTHER',
    'forwarder',
    RewindRequest.extend({ upTo: z.exactOptional(z.number()), requestedAt: z.exactOptional(Instant) }),
  ),
  /** `rewind` is the revision of the request; `published` is the number of published events. */
  ForwarderRewindCompleted: technical(z.object({ rewind: z.int(), published: z.int(), completedAt: Instant })),
  /** Cancels all requested rewinds that have not been completed. */
  ForwarderRewindCancelled: domain('OTHER', 'forwarder', z.object({ cancelledAt: Instant })),
};
export type ForwarderEvent = EventOf<typeof forwarderEvents>;

/** A requested rewind, identified by the `revision` of its request. */
export type Rewind = RewindFilter & {
  readonly revision: number;
  readonly from: RewindStart;
  readonly upTo: number;
  readonly requestedAt: string;
};
/** A completed or cancelled rewind. `published` is null for a cancelled rewind. */
export type EndedRewind = Rewind & { readonly published: number | null; readonly endedAt: string };

/** State of the forwarder: the operators' requests and their outcomes. */
export type Forwarder = {
  /** Revision of the next event in the stream. */
  readonly nextRevision: number;
  readonly isStarted: boolean;
  readonly pause: { readonly reason: z.output<typeof PauseReason>; readonly since: string } | null;
  /** The last resumption with an explicit start: its revision, and the position after which the forwarder continues. */
  readonly start: { readonly revision: number; readonly after: number } | null;
  /** Rewinds that have not been completed, oldest first. */
  readonly rewinds: readonly Rewind[];
  readonly lastRewind: EndedRewind | null;
};

/** The forwarder's control stream. It contains the operators' requests and the forwarder's reports. */
export const forwarder: Aggregate<Forwarder, ForwarderEvent> = {
  name: 'forwarder',
  events: forwarderEvents,
  initial: { nextRevision: 0, isStarted: false, pause: null, start: null, rewinds: [], lastRewind: null },
  evolve: (state, event) => ({ ...changed(state, event), nextRevision: state.nextRevision + 1 }),
};

function changed(state: Forwarder, event: ForwarderEvent): Forwarder {
  switch (event.type) {
    case 'ForwarderStarted':
      return { ...state, isStarted: true };
    case 'ForwarderPaused':
      return paused(state, event.data);
    case 'ForwarderResumed':
      return resumed(state, event.data);
    case 'ForwarderRewindRequested':
      return requested(state, event.data);
    case 'ForwarderRewindCompleted':
      return completed(state, event.data);
    case 'ForwarderRewindCancelled':
      return givenUp(state, event.data.cancelledAt);
  }
}

type Of<Type extends ForwarderEvent['type']> = Extract<ForwarderEvent, { type: Type }>['data'];

function paused(state: Forwarder, { reason, pausedAt: since }: Of<'ForwarderPaused'>): Forwarder {
  const next = { ...state, pause: { reason, since } };
  // Without a checkpoint, the positions in earlier requests may belong to another history.
  return reason === 'OPERATOR' ? next : { ...givenUp(next, since), start: null };
}

function resumed(state: Forwarder, { after, resumedAt }: Of<'ForwarderResumed'>): Forwarder {
  const { nextRevision: revision } = state;
  const next = { ...state, pause: null, ...(after !== null && { start: { revision, after } }) };
  return after === BEGINNING ? givenUp(next, resumedAt) : next;
}

function requested(state: Forwarder, data: Of<'ForwarderRewindRequested'>): Forwarder {
  const { upTo, requestedAt = '', ...request } = data;
  if (upTo === undefined) return state;
  const revision = state.nextRevision;
  return { ...state, rewinds: [...state.rewinds, { revision, ...request, upTo, requestedAt }] };
}

function completed(state: Forwarder, data: Of<'ForwarderRewindCompleted'>): Forwarder {
  const { rewind, published, completedAt: endedAt } = data;
  const done = state.rewinds.find((one) => one.revision === rewind);
  if (!done) return state;
  const rewinds = state.rewinds.filter((one) => one !== done);
  return { ...state, rewinds, lastRewind: { ...done, published, endedAt } };
}

function givenUp(state: Forwarder, endedAt: string): Forwarder {
  const [first] = state.rewinds;
  return first ? { ...state, rewinds: [], lastRewind: { ...first, published: null, endedAt } } : state;
}

/** `upTo` is the end of the history at the time of the request. */
export const rewindForwarder = (
  _: Forwarder,
  request: RewindFilter & Pick<Rewind, 'from' | 'upTo'>,
  now: Date,
): ForwarderEvent[] => [{ type: 'ForwarderRewindRequested', data: { ...request, requestedAt: now.toISOString() } }];

/** @throws DomainError conflict NO_REWIND */
export function cancelRewinds({ rewinds }: Forwarder, _: object, now: Date): ForwarderEvent[] {
  if (rewinds.length === 0) throw conflict('NO_REWIND', 'The forwarder has no rewind to cancel.');
  return [{ type: 'ForwarderRewindCancelled', data: { cancelledAt: now.toISOString() } }];
}

export const pauseForwarder = ({ pause }: Forwarder, _: object, now: Date): ForwarderEvent[] =>
  pause ? [] : [{ type: 'ForwarderPaused', data: { reason: 'OPERATOR', pausedAt: now.toISOString() } }];

/**
 * If `after` is null, the forwarder continues at the checkpoint. @throws DomainError conflict NOT_PAUSED if a start is
 * specified although the forwarder is running; RESUME_FROM_REQUIRED if there is no checkpoint
 */
export function resumeForwarder(
  { pause }: Forwarder,
  { after }: { readonly after: number | null },
  now: Date,
): ForwarderEvent[] {
  if (!pause && after === null) return [];
  if (!pause) throw conflict('NOT_PAUSED', 'The forwarder is running. Pause it before you change its position.');
  if (pause.reason === 'CHECKPOINT_MISSING' && after === null)
    throw conflict('RESUME_FROM_REQUIRED', 'The forwarder has no checkpoint. Set "from" to "now" or a position.');
  return [{ type: 'ForwarderResumed', data: { after, resumedAt: now.toISOString() } }];
}

/**
 * A status report from the forwarder. `all`: the forwarder publishes a history from the beginning, because it has no
 * record of that history.
 */
export type ForwarderReport =
  | { readonly kind: 'started' | 'waiting' | 'all' }
  | { readonly kind: 'rewound'; readonly rewind: number; readonly published: number };

/** Returns `[]` if the report has already been recorded, for example by another leader. */
export function noteForwarder(state: Forwarder, report: ForwarderReport, now: Date): ForwarderEvent[] {
  const at = now.toISOString();
  switch (report.kind) {
    case 'started':
      return state.isStarted ? [] : [{ type: 'ForwarderStarted', data: { startedAt: at } }];
    case 'waiting':
      if (state.pause?.reason === 'CHECKPOINT_MISSING') return [];
      return [{ type: 'ForwarderPaused', data: { reason: 'CHECKPOINT_MISSING', pausedAt: at } }];
    case 'all':
      return [{ type: 'ForwarderResumed', data: { after: BEGINNING, resumedAt: at } }];
    case 'rewound': {
      const { rewind, published } = report;
      if (!state.rewinds.some(({ revision }) => revision === rewind)) return [];
      return [{ type: 'ForwarderRewindCompleted', data: { rewind, published, completedAt: at } }];
    }
  }
}
