import { hash } from 'node:crypto';
import { BEFORE_ALL, type EventBatch, type EventReader, type Position } from '../ports/event-store.js';
import type {
  AnyTable,
  DocumentKey,
  ReadStore,
  Scope,
  StoredDocument,
  WriteBatch,
  WriteResult,
} from '../ports/read-store.js';
import type { EventCatalogue, Recorded } from '../eventsourcing/event-catalogue.js';
import { isSame } from './generation-comparison.js';
import { buildTogether } from './shared-build.js';
import { checkpointKey, type AnyProjection } from './projection.js';
import { project } from './project.js';
import { PoisonEvent, Projector } from './projector.js';
import { modelPart, positionsIn } from '../eventsourcing/ranges.js';

/** Sample size, limits and progress reporting. */
export type VerificationOptions = {
  /** Share of each model's documents to compare, above 0 and at most 1. Reduced if the sample would exceed `most`. */
  readonly share: number;
  /** Determines the sample. A different seed selects different documents. */
  readonly seed: number;
  /** Maximum number of documents held in memory per model. */
  readonly most: number;
  /** Number of events folded per batch. */
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Receives the progress in percent. */
  readonly report: (progress: number, message: string) => void;
};

/** A stored document that contradicts the history. */
export type Difference = {
  readonly model: string;
  readonly scope: Scope;
  readonly id: string;
  readonly reason: string;
};

export type Verification = {
  /** Number of compared documents. */
  readonly compared: number;
  /** Number of events read. */
  readonly events: number;
  /** The highest position up to which events were folded. */
  readonly upTo: Position;
  /** Names of the compared models. */
  readonly models: readonly string[];
  /**
   * Names of the models that were not compared, because they were never built or because a rebuild cut over during the
   * comparison.
   */
  readonly leftOut: readonly string[];
  readonly differences: readonly Difference[];
};

/**
 * Performs a rebuild without a cutover: builds a sample of each model's documents in memory and compares it with the
 * live generation. Compares each document at the stored document's position, so concurrent appends cause no
 * differences. A stored document that no event affects also counts as a difference.
 * @throws EventStoreUnavailable, ReadStoreUnavailable, CorruptEvent, the signal's reason
 */
export async function verifyProjections(
  events: EventReader,
  store: ReadStore,
  catalogue: EventCatalogue,
  projections: readonly AnyProjection[],
  options: VerificationOptions,
): Promise<Verification> {
  const samples: Sample[] = [];
  const leftOut: string[] = [];
  for (const projection of projections) {
    const { model } = projection;
    const generation = await store.liveGeneration(model.name, model.version);
    if (generation === undefined) leftOut.push(model.name);
    else {
      // The checkpoint is read before the scan, so the scanned documents contain every event up to and including the
      // checkpoint.
      const ranges = projection.acrossTenants ? [] : undefined;
      const [checkpoint = BEFORE_ALL] = await positionsIn(store, [checkpointKey(model, generation)], modelPart, ranges);
      samples.push(new Sample(projection, { model, generation }, checkpoint, options));
    }
  }
  // The tables already exist. This call registers their layout with a newly opened store.
  await store.prepare(samples.map(({ table }) => table));
  for (const sample of samples) await sample.choose(store, options.signal);
  const upTo = Math.max(BEFORE_ALL, ...samples.map(({ furthest }) => furthest));
  const count = await build(samples, { events, catalogue }, upTo, options);

  const compared: Sample[] = [];
  for (const sample of samples) {
    const { name, table } = sample;
    if ((await store.liveGeneration(name, table.model.version)) === table.generation) compared.push(sample);
    else leftOut.push(name);
  }
  return {
    compared: compared.reduce((sum, { size }) => sum + size, 0),
    events: count,
    upTo,
    models: compared.map(({ name }) => name),
    leftOut,
    differences: compared.flatMap((sample) => sample.differences()),
  };
}

/** Folds the history into samples. Returns the number of events read. */
async function build(
  samples: readonly Sample[],
  parts: { readonly events: EventReader; readonly catalogue: EventCatalogue },
  upTo: Position,
  { batchSize, signal, report }: VerificationOptions,
): Promise<number> {
  let count = 0;
  const store = async (_: unknown, batch: EventBatch): Promise<void> => {
    const wanted = batch.events.filter(({ position }) => position <= upTo);
    const events = wanted.map((event) => parts.catalogue.decode(event));
    for (const sample of samples) await sample.fold(events, batch.position);
    count += events.length;
    signal.throwIfAborted();
    report(Math.min(99, Math.floor(((batch.position + 1) / (upTo + 1)) * 99)), `${count} events`);
  };
  const projectors = samples.map(({ projector }) => projector);
  if (upTo > BEFORE_ALL) await buildTogether(parts, projectors, { batchSize, signal, upTo, store });
  signal.throwIfAborted();
  return count;
}

/** A sample of one model's documents, as stored and as refolded in memory. */
class Sample implements Pick<ReadStore, 'load' | 'write'> {
  readonly projector: Projector;
  private readonly stored = new Map<string, Document>();
  private readonly folded = new Map<string, Document>();
  /** Documents that cannot be folded, by key. */
  private readonly faults = new Map<string, Difference>();
  private share: number;
  /** The position up to which events must be folded. */
  furthest: Position;

  constructor(
    projection: AnyProjection,
    /** The live generation. */
    readonly table: AnyTable,
    /** The live generation contains every event up to and including this position. */
    private readonly checkpoint: Position,
    private readonly options: Pick<VerificationOptions, 'share' | 'seed' | 'most'>,
  ) {
    this.share = options.share;
    this.furthest = checkpoint;
    this.projector = new Projector(this, { projection, table }, (key, position) => {
      const name = keyOf(key);
      return this.wants(name) && position <= this.endOf(name);
    });
  }

  get name(): string {
    return this.table.model.name;
  }

  get size(): number {
    return this.folded.size;
  }

  /** Loads the sample's stored documents. */
  async choose(store: Pick<ReadStore, 'scan'>, signal: AbortSignal): Promise<void> {
    for await (const document of store.scan(this.table)) {
      signal.throwIfAborted();
      const name = keyOf(document);
      if (!this.wants(name)) continue;
      this.stored.set(name, document);
      this.furthest = Math.max(this.furthest, document.position);
      this.thin();
    }
  }

  async fold(events: readonly Recorded[], position: Position): Promise<void> {
    for (;;)
      try {
        await project(this, [this.projector], events, position);
        return;
      } catch (error) {
        if (!(error instanceof PoisonEvent)) throw error;
        const { document, cause, event } = error;
        if (!document) throw cause;
        const reason = `cannot be folded at position ${event.position}: ${String(cause)}`;
        this.faults.set(keyOf(document), { model: this.name, ...document, reason });
        this.projector.leave({ ...event, eventId: event.id, kind: 'document', ...document });
      }
  }

  differences(): readonly Difference[] {
    const found = new Map(this.faults);
    for (const [name, { scope, id }] of [...this.stored, ...this.folded]) {
      const reason = reasonOf(this.folded.get(name), this.stored.get(name));
      if (reason !== undefined && !found.has(name)) found.set(name, { model: this.name, scope, id, reason });
    }
    return [...found.values()];
  }

  load(_: unknown, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]> {
    return Promise.resolve(keys.map((key) => this.folded.get(keyOf(key))));
  }

  write({ tables }: WriteBatch): Promise<WriteResult> {
    for (const { scope, id, document, position } of tables.flatMap(({ writes }) => writes)) {
      const json = document && JSON.stringify(document);
      this.folded.set(keyOf({ scope, id }), { scope, id, json, position });
    }
    this.thin();
    return Promise.resolve({ conflicts: [] });
  }

  /** Returns the position up to which the stored document contains its events, which may be beyond the checkpoint. */
  private endOf(name: string): Position {
    return Math.max(this.checkpoint, this.stored.get(name)?.position ?? BEFORE_ALL);
  }

  private wants(name: string): boolean {
    const digest = hash('sha1', `${this.options.seed}/${this.name}/${name}`);
    return Number.parseInt(digest.slice(0, 8), 16) < this.share * 2 ** 32;
  }

  /**
   * Halves the sample, and the probability of adding further documents. The documents that remain in the sample still
   * contain all of their events.
   */
  private thin(): void {
    while (Math.max(this.stored.size, this.folded.size) > this.options.most) {
      this.share /= 2;
      for (const documents of [this.stored, this.folded])
        for (const name of documents.keys()) if (!this.wants(name)) documents.delete(name);
    }
  }
}

type Document = DocumentKey & StoredDocument;

const keyOf = ({ scope, id }: DocumentKey): string => `${scope}/${id}`;

/** Describes how the stored document differs from the folded one. Returns undefined if they are equal. */
function reasonOf(folded: StoredDocument | undefined, stored: StoredDocument | undefined): string | undefined {
  if (!folded) return stored && 'is stored, but no event refers to it';
  const { json, position } = folded;
  if (!stored) return `is missing, but its last event is at position ${position}`;
  if (stored.position !== position) return `is at position ${stored.position}, but its last event is at ${position}`;
  if (isSame(folded, stored)) return undefined;
  if (json === null) return 'exists, but was deleted';
  return stored.json === null ? 'is deleted, but should exist' : `differs at position ${position}`;
}
