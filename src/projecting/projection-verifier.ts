import { crc32 } from 'node:zlib';
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
import {
  candidates,
  compareKeys,
  documentsOfTable,
  isSame,
  pairsOf,
  type Documents,
  type Pair,
} from './generation-comparison.js';
import { buildTogether } from './generation-feed.js';
import { checkpointKey, type AnyProjection } from './projection.js';
import { PoisonEvent, project, Projector } from './projector.js';

/** Sample size, limits and progress reporting. */
export type VerificationOptions = {
  /** Share of each model's documents to compare, above 0 and at most 1. Lowered if the sample would exceed `most`. */
  readonly share: number;
  /** Selects the sample: another seed selects other documents. */
  readonly seed: number;
  /** Maximum number of documents per model in memory. */
  readonly most: number;
  /** Events folded per batch. */
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
  /** The highest position folded. */
  readonly upTo: Position;
  /** Names of the compared models. */
  readonly models: readonly string[];
  /** Names of the models not compared: never built, or cut over to another generation meanwhile. */
  readonly leftOut: readonly string[];
  readonly differences: readonly Difference[];
};

const BUILT_SHARE = 80;

/**
 * A rebuild without a cutover: builds a sample of each model's documents in memory and compares it with the live
 * generation. Each document is compared at the position of the stored one, so concurrent appends cause no differences.
 * A stored document in the sample without any event is a difference, too.
 * @throws EventStoreUnavailable, ReadStoreUnavailable, CorruptEvent, the signal's reason
 */
export async function verifyProjections(
  events: EventReader,
  store: ReadStore,
  catalogue: EventCatalogue,
  projections: readonly AnyProjection[],
  options: VerificationOptions,
): Promise<Verification> {
  const { signal, report } = options;
  const samples: Sample[] = [];
  const leftOut: string[] = [];
  for (const projection of projections) {
    const { model } = projection;
    const generation = await store.liveGeneration(model.name, model.version);
    if (generation === undefined) leftOut.push(model.name);
    else {
      const checkpoint = await store.checkpoint(checkpointKey(model, generation));
      samples.push(new Sample(projection, { model, generation }, checkpoint, options));
    }
  }
  // The tables exist; this tells a newly opened store their shape.
  await store.prepare(samples.map(({ table }) => table));
  const reader = new SampleReader(events, catalogue, options);
  await reader.build(samples, Math.max(BEFORE_ALL, ...samples.map(({ checkpoint }) => checkpoint)));
  for (const sample of samples) await sample.compare(documentsOfTable(store, sample.table), signal);
  const moved = samples.filter((sample) => sample.furthest > sample.checkpoint);
  await reader.build(moved, Math.max(BEFORE_ALL, ...moved.map(({ furthest }) => furthest)));

  const [differences, models]: [Difference[], string[]] = [[], []];
  let compared = 0;
  for (const [index, sample] of samples.entries()) {
    const { name, table } = sample;
    const found = sample.differences();
    if ((await store.liveGeneration(name, table.model.version)) === table.generation) {
      compared += sample.size;
      models.push(name);
      differences.push(...found);
    } else leftOut.push(name);
    report(BUILT_SHARE + Math.floor(((index + 1) / samples.length) * (99 - BUILT_SHARE)), name);
  }
  return { compared, events: reader.count, upTo: reader.upTo, models, leftOut, differences };
}

/** Folds the history into samples. */
class SampleReader {
  count = 0;
  upTo: Position = BEFORE_ALL;

  constructor(
    readonly events: EventReader,
    readonly catalogue: EventCatalogue,
    private readonly options: VerificationOptions,
  ) {}

  async build(samples: readonly Sample[], upTo: Position): Promise<void> {
    const { batchSize, signal, report } = this.options;
    const store = async (_: unknown, batch: EventBatch): Promise<void> => {
      const wanted = batch.events.filter(({ position }) => position <= upTo);
      const events = wanted.map((event) => this.catalogue.decode(event));
      for (const sample of samples) await sample.fold(events, batch.position);
      this.count += events.length;
      signal.throwIfAborted();
      const progress = Math.floor(((batch.position + 1) / (upTo + 1)) * BUILT_SHARE);
      report(Math.min(BUILT_SHARE, progress), `${this.count} events`);
    };
    const projectors = samples.map(({ projector }) => projector);
    if (upTo > BEFORE_ALL) await buildTogether(this, projectors, { batchSize, signal, upTo, store });
    signal.throwIfAborted();
    this.upTo = Math.max(this.upTo, upTo);
  }
}

/** An in-memory generation with a sample of one model's documents. */
class Sample implements Pick<ReadStore, 'load' | 'scan' | 'write'> {
  readonly projector: Projector;
  private readonly documents = new Map<string, Document>();
  /** Documents that cannot be folded, by key. */
  private readonly faults = new Map<string, Difference>();
  /** Documents that differed from the stored ones during the scan, by key; undefined before the scan. */
  private suspects: Map<string, Pair> | undefined;
  private share: number;
  /** Highest position of a stored suspect. */
  furthest: Position = BEFORE_ALL;

  constructor(
    projection: AnyProjection,
    /** The live generation. */
    readonly table: AnyTable,
    /** The live generation contains every event up to this position. */
    readonly checkpoint: Position,
    private readonly options: Pick<VerificationOptions, 'share' | 'seed' | 'most'>,
  ) {
    this.share = options.share;
    this.projector = new Projector(this, { projection, table }, (key, position) => {
      const name = keyOf(key);
      return this.wants(name) && position <= (this.suspects ? positionOf(this.suspects.get(name)?.other) : checkpoint);
    });
  }

  get name(): string {
    return this.table.model.name;
  }

  get size(): number {
    return this.documents.size;
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

  /** Finds suspects, except documents created after the checkpoint. Afterwards only suspects are folded. */
  async compare(live: Documents, signal: AbortSignal): Promise<void> {
    const own = documentsOfTable(this, this.table);
    const sampled = { ...live, scan: () => this.sampleOf(live.scan(), signal) };
    const { keys } = await candidates(own, sampled, () => !signal.aborted);
    const suspects = new Map<string, Pair>();
    for await (const pair of pairsOf(own, live, keys)) {
      if (!pair.one && positionOf(pair.other) > this.checkpoint) continue;
      suspects.set(keyOf(pair.key), pair);
      this.furthest = Math.max(this.furthest, positionOf(pair.other));
    }
    this.suspects = suspects;
    this.projector.position = this.checkpoint;
  }

  /** The differences left once each suspect is folded up to the position of its stored document. */
  differences(): readonly Difference[] {
    const found = new Map(this.faults);
    for (const [name, { key, other }] of this.suspects ?? []) {
      const reason = reasonOf(this.documents.get(name), other);
      if (reason !== undefined && !found.has(name)) found.set(name, { model: this.name, ...key, reason });
    }
    return [...found.values()];
  }

  async *scan(): AsyncIterable<Document> {
    yield* await Promise.resolve([...this.documents.values()].sort(compareKeys));
  }

  load(_: unknown, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]> {
    return Promise.resolve(keys.map((key) => this.documents.get(keyOf(key))));
  }

  write({ tables }: WriteBatch): Promise<WriteResult> {
    for (const { scope, id, document, position } of tables.flatMap(({ writes }) => writes)) {
      const json = document && JSON.stringify(document);
      this.documents.set(keyOf({ scope, id }), { scope, id, json, position });
    }
    this.thin();
    return Promise.resolve({ conflicts: [] });
  }

  private async *sampleOf(scan: AsyncIterable<Document>, signal: AbortSignal): AsyncIterable<Document> {
    for await (const document of scan) {
      signal.throwIfAborted();
      if (this.wants(keyOf(document))) yield document;
    }
  }

  private wants(name: string): boolean {
    return mixed(crc32(`${this.name}/${name}`) ^ this.options.seed) < this.share * 2 ** 32;
  }

  /** Halves the sample and the share of further documents. The remaining documents have all of their events. */
  private thin(): void {
    while (this.documents.size > this.options.most) {
      this.share /= 2;
      for (const name of this.documents.keys()) if (!this.wants(name)) this.documents.delete(name);
    }
  }
}

type Document = DocumentKey & StoredDocument;

const keyOf = ({ scope, id }: DocumentKey): string => `${scope}/${id}`;
const positionOf = (stored: StoredDocument | undefined): Position => stored?.position ?? BEFORE_ALL;

/**
 * MurmurHash3's finalizer (fmix32). CRCs of keys of equal length differ by the same bits for any two seeds. Unmixed,
 * they would select the same documents or exactly the others.
 */
function mixed(bits: number): number {
  let hash = bits ^ (bits >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Why the stored document differs from the folded one; undefined if it does not. */
function reasonOf(folded: StoredDocument | undefined, stored: StoredDocument | undefined): string | undefined {
  if (!folded) return stored && 'is stored, and no event speaks of it';
  const { json, position } = folded;
  if (!stored) return `is missing; its last event is at position ${position}`;
  if (stored.position !== position) return `stands at position ${stored.position}, its last event is at ${position}`;
  if (isSame(folded, stored)) return undefined;
  if (json === null) return 'is there, and was deleted';
  return stored.json === null ? 'is deleted, and should be there' : `differs at position ${position}`;
}
