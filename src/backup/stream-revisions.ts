import { hash } from 'node:crypto';
import { BackupError } from './backup-format.js';

/** A power of two. Each shard grows separately, so that the event loop is not blocked while a large table grows. */
const SHARDS = 1_024;
const FIRST_CAPACITY = 8;
const GROWTH = 1.3;
const MAX_LOAD = 0.8;

/**
 * Detects missing events in a history that is read in order. Remembers a 64-bit hash of each stream and its next
 * revision, in about 12 bytes per stream. A history without gaps always passes. A gap is overlooked only if the hashes
 * of two streams collide, which is unlikely even in a history with billions of streams.
 */
export class StreamRevisions {
  private readonly shards = Array.from({ length: SHARDS }, () => new Shard());

  /** Returns the error for the first missing event if the given event does not follow its predecessor. */
  gapBefore({ stream, revision }: { readonly stream: string; readonly revision: number }): BackupError | undefined {
    const missing = this.missingBefore(stream, revision);
    if (missing === undefined) return undefined;
    return new BackupError(
      `The history is incomplete and cannot be restored: revision ${missing} of the stream ${stream} is missing, ` +
        `but revision ${revision} exists. See "Streams with missing events" in docs/operations.md.`,
    );
  }

  private missingBefore(stream: string, revision: number): number | undefined {
    // A string takes half the time of a buffer.
    const digest = hash('sha256', stream, 'binary');
    // 0 marks an empty slot.
    const key = numberAt(digest, 0) || 1;
    return (this.shards[key % SHARDS] as Shard).take(key, numberAt(digest, 4), revision);
  }
}

/** Returns four bytes of a digest as a number. */
const numberAt = (digest: string, at: number): number =>
  (digest.charCodeAt(at) |
    (digest.charCodeAt(at + 1) << 8) |
    (digest.charCodeAt(at + 2) << 16) |
    (digest.charCodeAt(at + 3) << 24)) >>>
  0;

/**
 * A hash table with linear probing. A slot contains a key, which is half of a stream's hash, and the sum of the other
 * half and the stream's next revision.
 */
class Shard {
  private capacity = FIRST_CAPACITY;
  private slots = new Uint32Array(2 * FIRST_CAPACITY);
  private count = 0;

  /** Returns the first missing revision before the given one, or undefined if none is missing. */
  take(key: number, rest: number, revision: number): number | undefined {
    if (revision === 0) {
      this.add(key, rest + 1);
      return undefined;
    }
    const { slots } = this;
    const sum = (rest + revision) >>> 0;
    let missing = 0;
    for (let at = this.homeOf(key); slots[at] !== 0; at = this.after(at)) {
      if (slots[at] !== key) continue;
      const found = slots[at + 1] as number;
      if (found === sum) {
        slots[at + 1] = sum + 1;
        return undefined;
      }
      const next = (found - rest) >>> 0;
      if (next < revision) missing = next;
    }
    return missing;
  }

  private add(key: number, sum: number): void {
    if (this.count >= this.capacity * MAX_LOAD) this.grow();
    this.put(key, sum);
    this.count += 1;
  }

  private put(key: number, sum: number): void {
    let at = this.homeOf(key);
    while (this.slots[at] !== 0) at = this.after(at);
    this.slots[at] = key;
    this.slots[at + 1] = sum;
  }

  private grow(): void {
    const { slots } = this;
    this.capacity = Math.ceil(this.capacity * GROWTH);
    this.slots = new Uint32Array(2 * this.capacity);
    for (let at = 0; at < slots.length; at += 2)
      if (slots[at] !== 0) this.put(slots[at] as number, slots[at + 1] as number);
  }

  /** Uses the high bits of the key, because the low bits select the shard. */
  private homeOf(key: number): number {
    return 2 * Math.floor((key / 2 ** 32) * this.capacity);
  }

  private after(at: number): number {
    return at + 2 === this.slots.length ? 0 : at + 2;
  }
}
