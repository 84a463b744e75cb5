import { join } from 'node:path';
import fc from 'fast-check';
import { catalogue } from '../../src/app/catalogue.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import type { SignedCheckpoint } from '../../src/aggregates/integrity.aggregate.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { asService } from '../../src/eventsourcing/context.js';
import { expectedAt } from '../../src/eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { CheckpointFiles } from '../../src/integrity/checkpoint-files.js';
import {
  INTEGRITY,
  TREE_STREAM,
  TreeFollower,
  type FollowerParts,
  type RecordCheckpoint,
} from '../../src/integrity/tree-follower.js';
import { verifyIntegrity } from '../../src/jobs/integrity-verify.job.js';
import { WrongExpectedRevision, type EventStore } from '../../src/ports/event-store.js';
import { QueueMeters } from '../../src/observability/queue-meters.js';
import type { ReadStore } from '../../src/ports/read-store.js';
import { IntegrityKeys } from '../../src/security/integrity-keys.js';
import { anyHistory } from '../projections/arbitrary-history.js';
import { eventually } from './eventually.js';
import { ManualClock, SeededIds } from './manual-clock.js';

const PATIENCE_MS = 20_000;
export const EVERY_MS = 60_000;

/** Generates at least `least` plausible events in several streams. The same seed produces the same events. */
export function plausibleEvents(least: number, seed: number) {
  const found: { id: string; stream: string; revision: number; type: string; data: object; metadata: object }[] = [];
  for (let round = 0; found.length < least; round += 1) {
    const [history = []] = fc.sample(anyHistory, { numRuns: 1, seed: seed + round });
    // Different rounds use different streams.
    for (const { id, stream, revision, type, data, metadata } of history)
      found.push({ id: `${round} ${id}`, stream: `${stream}.${round}`, revision, type, data, metadata });
  }
  return found;
}

/** The integrity tree of a history, maintained by a process whose clock the test controls. */
export class TreeStage {
  readonly clock = new ManualClock();
  readonly complaints: string[] = [];
  readonly meter = new QueueMeters(this.clock).of(INTEGRITY, 'integrity');
  private follower: TreeFollower | undefined;

  private constructor(
    readonly events: EventStore,
    readonly reads: ReadStore,
    private readonly directory: string,
    private readonly keys: IntegrityKeys,
  ) {}

  /** `directory` contains the key, the checkpoint files and, without `shared`, the read models. */
  static async open(events: EventStore, directory: string, shared?: ReadStore): Promise<TreeStage> {
    const reads = shared ?? (await EmbeddedReadStore.open({ directory, mode: 'readwrite' }));
    return new TreeStage(events, reads, directory, await IntegrityKeys.open(directory));
  }

  get files(): CheckpointFiles {
    return new CheckpointFiles(join(this.directory, 'checkpoints'));
  }

  /** Starts to maintain the tree. Calls `between` before each append of a checkpoint. */
  lead(between: () => Promise<void> = () => Promise.resolve()): void {
    const complain = (fields: object, message: string): void => {
      this.complaints.push(`${message}: ${(fields as { reason?: string }).reason ?? ''}`);
    };
    const logger = { info: () => undefined, warn: complain, error: complain };
    const record: RecordCheckpoint = async (after, checkpoint) => {
      await between();
      return this.record(after, checkpoint);
    };
    const parts: FollowerParts = {
      ...{ events: this.events, store: this.reads, catalogue, clock: this.clock, logger, keys: this.keys },
      ...{ files: this.files, witness: undefined, meter: this.meter, record, checkpointEveryMs: EVERY_MS },
    };
    this.follower = new TreeFollower(parts);
    this.follower.start();
  }

  /** Lets time pass until there is a new checkpoint and it is stored in the checkpoint files. */
  async signed(): Promise<SignedCheckpoint> {
    const before = (await this.checkpoints()).length;
    return eventually(async () => {
      await this.clock.advance(EVERY_MS);
      const all = await this.checkpoints();
      const last = all.at(-1);
      return all.length > before && last?.note === (await this.files.last())?.note ? last : undefined;
    }, PATIENCE_MS);
  }

  /** Returns all checkpoints in the history. */
  async checkpoints(): Promise<SignedCheckpoint[]> {
    const { events } = await this.events.readStream(TREE_STREAM);
    return events.map(({ data }) => data as SignedCheckpoint);
  }

  async stop(): Promise<void> {
    await this.follower?.stop();
    this.follower = undefined;
  }

  /** Runs the nightly job's verification and returns its outcome. @throws TamperedHistory, CorruptEvent */
  async verify(events = this.events): Promise<string> {
    const verifiers = this.keys.verifiers.map(({ text }) => text).join('\n');
    const task = { kind: 'integrity', verifiers, checkpoints: this.files.directory } as const;
    const parts = { events, reads: this.reads, catalogue, clock: this.clock, sharesThread: false };
    const control = { signal: new AbortController().signal, report: () => undefined };
    return (await verifyIntegrity(task, parts, control)).message;
  }

  private async record(after: number, data: SignedCheckpoint): Promise<boolean> {
    const appender = new Appender(this.events, catalogue, this.clock);
    const own = { tenantId: PLATFORM_TENANT, name: 'integrity', commandId: ids.next() };
    try {
      await asService(own, () => appender.write(TREE_STREAM, expectedAt(after), [{ type: 'CheckpointSigned', data }]));
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false;
      throw error;
    }
  }
}

const ids = new SeededIds(1);
