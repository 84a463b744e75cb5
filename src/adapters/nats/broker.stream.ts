import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { isForbidden, textOf } from './broker.errors.js';
import { covers } from './broker.subjects.js';

const STREAM_NOT_FOUND: number = JetStreamApiCodes.StreamNotFound;

export type StreamWish = {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly duplicateWindowMs: number;
};
export type UsableStream = {
  readonly isNew: boolean;
  /** What is not as we want it, although it can be published to. */
  readonly warnings: readonly string[];
};
export type StreamCheck = UsableStream | { readonly fault: string };

/** Makes the stream where there is none. One that exists is never changed: what differs is said. */
export async function ensureStream(manager: JetStreamManager, wish: StreamWish): Promise<StreamCheck> {
  try {
    const config = await existing(manager, wish.name);
    return compare(config ?? (await create(manager, wish)), wish, config === undefined);
  } catch (error) {
    if (isForbidden(error)) return { isNew: false, warnings: ['its settings may not be read with these credentials'] };
    return { fault: textOf(error) };
  }
}

async function existing(manager: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined;
    throw error;
  }
}

async function create(manager: JetStreamManager, wish: StreamWish): Promise<StreamConfig> {
  const { config } = await manager.streams.add({
    name: wish.name,
    subjects: [...wish.subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(wish.duplicateWindowMs),
  });
  return config;
}

function compare(config: StreamConfig, wish: StreamWish, isNew: boolean): StreamCheck {
  const faults = faultsOf(config, wish);
  return faults.length > 0 ? { fault: faults.join('; ') } : { isNew, warnings: warningsOf(config, wish) };
}

const listed = (differences: readonly (readonly [boolean, string])[]): string[] =>
  differences.flatMap(([isSo, text]) => (isSo ? [text] : []));

function faultsOf(config: StreamConfig, { subjects }: StreamWish): string[] {
  const missing = subjects.filter((wanted) => !config.subjects.some((kept) => covers(kept, wanted)));
  return listed([
    [missing.length > 0, `it does not take the subjects ${missing.join(', ')}`],
    [config.no_ack === true, 'it does not acknowledge (no_ack)'],
    [config.sealed, 'it is sealed'],
    [config.mirror !== undefined, 'it mirrors another stream'],
  ]);
}

/** Wider than ours is as good as ours; limits on age and size are the operator's choice. */
function warningsOf(config: StreamConfig, { duplicateWindowMs }: StreamWish): string[] {
  const windowMs = config.duplicate_window / 1_000_000;
  return listed([
    [config.storage !== StorageType.File, `its storage is ${config.storage}, not file`],
    [config.retention !== RetentionPolicy.Limits, `its retention is ${config.retention}, not limits`],
    [config.discard !== DiscardPolicy.Old, `it discards ${config.discard} messages, not old ones, when it is full`],
    [windowMs < duplicateWindowMs, `its duplicate window is ${windowMs} ms, not ${duplicateWindowMs} ms`],
    [config.max_msgs_per_subject > 0, `it keeps only ${config.max_msgs_per_subject} messages of a subject`],
  ]);
}
