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

/** nats-server error code (server/errors.json): "replicas > 1 not supported in non-clustered mode". */
const NO_CLUSTER = 10_074;
const STREAM_NOT_FOUND: number = JetStreamApiCodes.StreamNotFound;

export type StreamWish = {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly duplicateWindowMs: number;
  /** Number of replicas if the servers form a cluster and the operator has not set a number. */
  readonly usualReplicas: number;
} & StreamLimits;
/** Operator settings, applied when the stream is created. */
export type StreamLimits = {
  /**
   * Number of servers that store each message, from 1 to 5. Default: 3 if the URL names at least three servers,
   * otherwise 1.
   */
  readonly replicas?: number | undefined;
  /** Maximum age of messages. Older messages are removed. Default: no limit. */
  readonly maxAgeMs?: number | undefined;
  /** Maximum size of the stream. When it is exceeded, the oldest messages are removed. Default: no limit. */
  readonly maxBytes?: number | undefined;
};
export type UsableStream = {
  readonly isNew: boolean;
  /** Deviations from the expected settings that do not prevent publishing. */
  readonly warnings: readonly string[];
};
export type StreamCheck = UsableStream | { readonly fault: string };

/**
 * Creates the stream if it is missing. An existing stream is never changed, but differences are reported.
 * @param servers known number of servers in the cluster
 */
export async function ensureStream(manager: JetStreamManager, wish: StreamWish, servers: number): Promise<StreamCheck> {
  try {
    const config = await existing(manager, wish.name);
    return compare(config ?? (await create(manager, wish)), wish, { isNew: config === undefined, servers });
  } catch (error) {
    if (isForbidden(error))
      return { isNew: false, warnings: ['these credentials have no permission to read its settings'] };
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
  if (wish.replicas !== undefined) return add(manager, wish, wish.replicas);
  try {
    return await add(manager, wish, wish.usualReplicas);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === NO_CLUSTER) return add(manager, wish, 1);
    throw error;
  }
}

async function add(manager: JetStreamManager, wish: StreamWish, replicas: number): Promise<StreamConfig> {
  const { config } = await manager.streams.add({
    name: wish.name,
    subjects: [...wish.subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(wish.duplicateWindowMs),
    num_replicas: replicas,
    ...(wish.maxAgeMs !== undefined && { max_age: nanos(wish.maxAgeMs) }),
    ...(wish.maxBytes !== undefined && { max_bytes: wish.maxBytes }),
  });
  return config;
}

type Found = { readonly isNew: boolean; readonly servers: number };

function compare(config: StreamConfig, wish: StreamWish, { isNew, servers }: Found): StreamCheck {
  const faults = faultsOf(config, wish);
  if (faults.length > 0) return { fault: faults.join('; ') };
  return { isNew, warnings: [...warningsOf(config, wish), ...limitWarningsOf(config, wish, servers)] };
}

const listed = (differences: readonly (readonly [boolean, string])[]): string[] =>
  differences.flatMap(([isSo, text]) => (isSo ? [text] : []));

function faultsOf(config: StreamConfig, { subjects }: StreamWish): string[] {
  const missing = subjects.filter((wanted) => !config.subjects.some((kept) => covers(kept, wanted)));
  return listed([
    [missing.length > 0, `it does not include the subjects ${missing.join(', ')}`],
    [config.no_ack === true, 'acknowledgements are disabled (no_ack)'],
    [config.sealed, 'it is sealed'],
    [config.mirror !== undefined, 'it mirrors another stream'],
  ]);
}

/**
 * Returns warnings about settings. Settings that are more generous than required are accepted. Age and size limits are
 * left to the operator.
 */
function warningsOf(config: StreamConfig, { duplicateWindowMs }: StreamWish): string[] {
  const windowMs = config.duplicate_window / 1_000_000;
  return listed([
    [config.storage !== StorageType.File, `its storage is ${config.storage}, not file`],
    [config.retention !== RetentionPolicy.Limits, `its retention is ${config.retention}, not limits`],
    [config.discard !== DiscardPolicy.Old, `it discards ${config.discard} messages, not old ones, when it is full`],
    [windowMs < duplicateWindowMs, `its duplicate window is ${windowMs} ms, not ${duplicateWindowMs} ms`],
    [config.max_msgs_per_subject > 0, `it keeps only ${config.max_msgs_per_subject} messages per subject`],
  ]);
}

/**
 * Recommended number of replicas in a cluster of any size. With fewer replicas, the stream tolerates the loss of fewer
 * servers.
 */
const ENOUGH_REPLICAS = 3;

function limitWarningsOf(
  config: StreamConfig,
  { replicas, maxAgeMs, maxBytes }: StreamWish,
  servers: number,
): string[] {
  const { num_replicas: kept, max_bytes: keptBytes } = config;
  const keptMs = config.max_age / 1_000_000;
  const advised = Math.min(servers, ENOUGH_REPLICAS);
  return listed([
    [
      kept < advised,
      `it has ${kept} replica${kept === 1 ? '' : 's'} in a cluster of ${servers} servers: publishing ` +
        'stops if a server that stores it fails',
    ],
    [
      replicas !== undefined && kept !== replicas && kept >= advised,
      `it has ${kept} replicas, not NATS_STREAM_REPLICAS=${replicas}`,
    ],
    [
      maxAgeMs !== undefined && keptMs !== maxAgeMs,
      `it keeps messages for ${keptMs} ms, not ${maxAgeMs} ms (NATS_STREAM_MAX_AGE_HOURS)`,
    ],
    [
      maxBytes !== undefined && keptBytes !== maxBytes,
      `it keeps ${keptBytes} bytes, not ${maxBytes} (NATS_STREAM_MAX_BYTES)`,
    ],
  ]);
}
