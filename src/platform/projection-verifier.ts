import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { BEFORE_ALL, type EventReader, type Position } from '../ports/event-store.js';
import type { AnyTable, DocumentKey, ReadStore, Scope, StoredDocument } from '../ports/read-store.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';
import { checkpointKey, documentsOf, evolveWith, scopeOf, type AnyProjection, wants } from './projection.js';

/** How much is looked at, and who is told. */
export type VerificationOptions = {
  /** Share of each model's documents to look at, above 0 and at most 1; lowered where that would be more than `most`. */
  readonly share: number;
  /** Decides which documents; another seed looks at others. */
  readonly seed: number;
  /** Documents of a model that are held in memory at most. */
  readonly most: number;
  /** Events folded at once. */
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Progress in percent. */
  readonly report: (progress: number, message: string) => void;
};

/** A document that is not what the history says. */
export type Difference = {
  readonly model: string;
  readonly scope: Scope;
  readonly id: string;
  readonly reason: string;
};

export type Verification = {
  /** Documents that were compared. */
  readonly compared: number;
  /** Events that were read. */
  readonly events: number;
  /** The furthest position that was folded. */
  readonly upTo: Position;
  /** Models that were compared. */
  readonly models: readonly string[];
  /** Models that were not: never built, or swapped for another generation meanwhile. */
  readonly leftOut: readonly string[];
  readonly differences: readonly Difference[];
};

const LOADED_AT_ONCE = 200;
const COMPARED_AT_ONCE = 100;
const FOLDED_SHARE = 80;

/**
 * Folds the history once with only a sample of the documents in memory, and compares these with what the read store
 * holds. Every document is compared at the very position that the stored one has, so sales that come in meanwhile make
 * no difference. A stored document of the sample that the history knows nothing of is a difference, too.
 * @throws EventStoreUnavailable, ReadStoreUnavailable, CorruptEvent, the signal's reason
 */
export async function verifyProjections(
  events: EventReader,
  store: ReadStore,
  catalogue: EventCatalogue,
  projections: readonly AnyProjection[],
  options: VerificationOptions,
): Promise<Verification> {
  const verifier = new Verifier(events, store, catalogue, options);
  await verifier.begin(projections);
  await verifier.foldToCheckpoints();
  await verifier.foldToStored();
  return verifier.end();
}

type Folded = {
  readonly scope: Scope;
  readonly id: string;
  document: object | undefined;
  position: Position;
  /** It was there once: then at least a tombstone is stored. */
  made: boolean;
  /** What the store holds; absent until it was asked. */
  stored: StoredDocument | undefined;
  /** Why no comparison is possible. */
  fault: string | undefined;
};

/** The sampled documents of one model. */
class Sample {
  readonly folded = new Map<string, Folded>();
  private share: number;

  constructor(
    readonly projection: AnyProjection,
    readonly table: AnyTable,
    /** Everything up to here is in the table. */
    readonly checkpoint: Position,
    private readonly options: Pick<VerificationOptions, 'share' | 'seed' | 'most'>,
  ) {
    this.share = options.share;
  }

  get name(): string {
    return this.projection.model.name;
  }

  /** Where the document stands that the store has folded furthest. */
  get furthest(): Position {
    let furthest = BEFORE_ALL;
    for (const { stored } of this.folded.values()) furthest = Math.max(furthest, stored?.position ?? BEFORE_ALL);
    return furthest;
  }

  wants(key: string): boolean {
    return mixed(crc32(`${this.name}/${key}`) ^ this.options.seed) < this.share * 2 ** 32;
  }

  /** `upTo` says how far a document is to be folded. */
  fold(event: Recorded, upTo: (document: Folded | undefined) => Position): void {
    const { projection } = this;
    if (!wants(projection, event.entity)) return;
    const scope = scopeOf(projection, event);
    for (const id of documentsOf(projection, event)) {
      const key = keyOf({ scope, id });
      if (!this.wants(key)) continue;
      const known = this.folded.get(key);
      if (event.position <= upTo(known)) this.evolve(known ?? this.add(key, scope, id), event);
    }
  }

  private add(key: string, scope: Scope, id: string): Folded {
    const nothing = { document: undefined, position: BEFORE_ALL, made: false, stored: undefined, fault: undefined };
    const added: Folded = { scope, id, ...nothing };
    this.folded.set(key, added);
    this.thin();
    return added;
  }

  private evolve(folded: Folded, event: Recorded): void {
    if (event.position <= folded.position || folded.fault !== undefined) return;
    try {
      folded.document = evolveWith(this.projection, folded.document, event, folded.id);
      folded.position = event.position;
      folded.made ||= folded.document !== undefined;
    } catch (error) {
      folded.fault = `cannot be folded at position ${event.position}: ${String(error)}`;
    }
  }

  /** Half of them, and from now on half of all others: what stays has all of its events. */
  private thin(): void {
    while (this.folded.size > this.options.most) {
      this.share /= 2;
      for (const key of this.folded.keys()) if (!this.wants(key)) this.folded.delete(key);
    }
  }
}

/**
 * MurmurHash3's finalizer (fmix32). Checksums of names of one length differ by the same bits for any two seeds: alone
 * they would choose the same documents, or exactly the others.
 */
function mixed(bits: number): number {
  let hash = bits ^ (bits >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const keyOf = ({ scope, id }: DocumentKey): string => `${scope}/${id}`;

class Verifier {
  private samples: Sample[] = [];
  private count = 0;
  private upTo: Position = BEFORE_ALL;
  private readonly leftOut: string[] = [];
  private readonly differences: Difference[] = [];

  constructor(
    private readonly events: EventReader,
    private readonly store: ReadStore,
    private readonly catalogue: EventCatalogue,
    private readonly options: VerificationOptions,
  ) {}

  async begin(projections: readonly AnyProjection[]): Promise<void> {
    for (const projection of projections) {
      const { model } = projection;
      const generation = await this.store.liveGeneration(model.name, model.version);
      if (generation === undefined) {
        this.leftOut.push(model.name);
        continue;
      }
      const checkpoint = await this.store.checkpoint(checkpointKey(model, generation));
      this.samples.push(new Sample(projection, { model, generation }, checkpoint, this.options));
    }
    // They are there; a store that was just opened learns here how they are made.
    await this.store.prepare(this.samples.map(({ table }) => table));
  }

  async foldToCheckpoints(): Promise<void> {
    const furthest = Math.max(BEFORE_ALL, ...this.samples.map(({ checkpoint }) => checkpoint));
    await this.read(BEFORE_ALL, furthest, FOLDED_SHARE, (event) => {
      for (const sample of this.samples) sample.fold(event, () => sample.checkpoint);
    });
  }

  /** Documents that moved on since the checkpoints were read are folded on, up to where each stands in the store. */
  async foldToStored(): Promise<void> {
    for (const sample of this.samples) await this.load(sample);
    const moved = this.samples.filter((sample) => sample.furthest > sample.checkpoint);
    if (moved.length === 0) return;
    const nearest = Math.min(...moved.map(({ checkpoint }) => checkpoint));
    const furthest = Math.max(...moved.map((sample) => sample.furthest));
    await this.read(nearest, furthest, FOLDED_SHARE, (event) => {
      for (const sample of moved)
        sample.fold(event, (known) => (known ? (known.stored?.position ?? BEFORE_ALL) : BEFORE_ALL));
    });
  }

  async end(): Promise<Verification> {
    let compared = 0;
    for (const [index, sample] of this.samples.entries()) {
      const differences = [...(await this.comparison(sample)), ...(await this.surplus(sample))];
      if (await this.isLive(sample)) {
        compared += sample.folded.size;
        this.differences.push(...differences);
      } else this.leftOut.push(sample.name);
      const { length } = this.samples;
      this.options.report(FOLDED_SHARE + Math.floor(((index + 1) / length) * (99 - FOLDED_SHARE)), sample.name);
    }
    const { count: events, upTo, leftOut, differences } = this;
    const models = this.samples.map(({ name }) => name).filter((name) => !leftOut.includes(name));
    return { compared, events, upTo, models, leftOut, differences };
  }

  private async read(after: Position, upTo: Position, share: number, fold: (event: Recorded) => void): Promise<void> {
    if (upTo <= after) return;
    const { batchSize: maxBatchSize, signal, report } = this.options;
    const filter = { on: 'stream', prefixes: this.catalogue.streamPrefixes } as const;
    for await (const batch of this.events.subscribeToAll({ after, filter, maxBatchSize, signal })) {
      for (const event of batch.events) {
        if (event.position > upTo) break;
        fold(this.catalogue.decode(event));
        this.count += 1;
      }
      signal.throwIfAborted();
      report(Math.min(share, Math.floor(((batch.position + 1) / (upTo + 1)) * share)), `${this.count} events`);
      if (batch.position >= upTo || batch.caughtUp) break;
    }
    signal.throwIfAborted();
    this.upTo = Math.max(this.upTo, upTo);
  }

  private async load({ table, folded }: Sample): Promise<void> {
    const all = [...folded.values()];
    for (let from = 0; from < all.length; from += LOADED_AT_ONCE) {
      this.options.signal.throwIfAborted();
      const some = all.slice(from, from + LOADED_AT_ONCE);
      const stored = await this.store.load(table, some);
      for (const [index, document] of some.entries()) document.stored = stored[index];
    }
  }

  private async comparison(sample: Sample): Promise<Difference[]> {
    const differences: Difference[] = [];
    let count = 0;
    for (const folded of sample.folded.values()) {
      // Requests may be served by the same thread.
      if ((count += 1) % COMPARED_AT_ONCE === 0) await nextTurn();
      const reason = reasonOf(folded);
      if (reason !== undefined) differences.push({ model: sample.name, scope: folded.scope, id: folded.id, reason });
    }
    return differences;
  }

  /** Stored documents of the sample that no event up to the checkpoint has touched. */
  private async surplus(sample: Sample): Promise<Difference[]> {
    const differences: Difference[] = [];
    for await (const { scope, id, position } of this.store.scan(sample.table)) {
      this.options.signal.throwIfAborted();
      const key = keyOf({ scope, id });
      if (position <= sample.checkpoint && sample.wants(key) && !sample.folded.has(key))
        differences.push({ model: sample.name, scope, id, reason: 'is stored, and no event speaks of it' });
    }
    return differences;
  }

  private async isLive({ table: { model, generation } }: Sample): Promise<boolean> {
    return (await this.store.liveGeneration(model.name, model.version)) === generation;
  }
}

/** Why the stored document is not the folded one; undefined where it is. */
function reasonOf({ document, position, made, stored, fault }: Folded): string | undefined {
  if (fault !== undefined) return fault;
  if (!made) return stored && 'is stored, and the history never made it';
  if (!stored) return `is missing; its last event is at position ${position}`;
  if (stored.position !== position) return `stands at position ${stored.position}, its last event is at ${position}`;
  if (document === undefined) return stored.json === null ? undefined : 'is there, and was deleted';
  if (stored.json === null) return 'is deleted, and should be there';
  // As it is stored: without members that are undefined.
  const expected: unknown = JSON.parse(JSON.stringify(document));
  return isDeepStrictEqual(JSON.parse(stored.json), expected) ? undefined : `differs at position ${position}`;
}
