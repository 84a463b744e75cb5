import { Readable, type Writable } from 'node:stream';
import type { Frame, LiveFeed } from '../projecting/live-feed.js';
import type { Position } from '../ports/event-store.js';

/** A server-sent event (WHATWG HTML, section 9.2); `data` is JSON on one line. */
export const sseFrame = (event: string, id: Position, data: unknown): Buffer =>
  Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

/** A comment that keeps the connection alive. */
export const sseComment = (text: string): Buffer => Buffer.from(`: ${text}\n\n`);

type Options = {
  readonly feed: LiveFeed;
  /** Bytes to send first. */
  readonly first: Buffer;
  /** Position after which frames are sent. */
  readonly after: Position;
  /** Limits the number of concurrent reads from the store. */
  readonly inTurn: (read: () => Promise<void>) => Promise<void>;
  readonly monotonicMs: () => number;
};

/**
 * The stream of one watcher. Its connection pulls the next frame only after sending the previous one, so a watcher that
 * does not read uses no memory. All watchers share the same frames, and each watcher receives every frame once, in
 * order.
 */
export class EventStream extends Readable {
  private position: Position;
  private first: Buffer | undefined;
  private isWanted = false;
  private isCatchingUp = false;
  private isFlowing = false;
  private refusedAtMs: number | undefined;
  private readonly leaving = new AbortController();
  private room: (() => void) | undefined;
  private connection: Writable | undefined;

  constructor(private readonly options: Options) {
    super({ highWaterMark: 1 });
    this.position = options.after;
    this.first = options.first;
    this.once('close', () => {
      this.leaving.abort();
      this.room?.();
    });
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    this.connection = destination as unknown as Writable;
    return super.pipe(destination, options);
  }

  override _read(): void {
    this.isWanted = true;
    this.refusedAtMs = undefined;
    this.room?.();
    this.flow();
  }

  /** Sends available frames while the connection accepts them. */
  flow(): void {
    // `push` may call `_read` synchronously, and `_read` calls this method again.
    if (this.isCatchingUp || this.isFlowing) return;
    this.isFlowing = true;
    let frames: readonly Frame[] | undefined = [];
    do {
      frames = this.takes() ? this.next() : [];
      this.giveAll(frames ?? []);
    } while (frames !== undefined && frames.length > 0);
    this.isFlowing = false;
    if (!frames) void this.catchUp();
  }

  /** Sends a comment, but only between frames and only while the connection accepts data. */
  comment(bytes: Buffer): void {
    if (this.takes() && !this.isCatchingUp) this.give(bytes);
  }

  /** Time, in milliseconds, for which the connection has not accepted pending data. */
  stalledForMs(): number {
    return this.refusedAtMs === undefined ? 0 : this.options.monotonicMs() - this.refusedAtMs;
  }

  /**
   * Ends the stream: immediately if the connection does not accept data, otherwise after pending data has been sent.
   */
  finish(): void {
    if (this.isOver) return;
    if (this.refusedAtMs === undefined) this.push(null);
    else this.destroy();
    this.leaving.abort();
    this.room?.();
  }

  /** Whether all data has been sent, or the connection is closed. */
  get isGone(): boolean {
    return this.connection === undefined || this.connection.destroyed || this.connection.writableFinished;
  }

  /** Closes the connection and drops pending data. */
  cut(): void {
    this.destroy();
    if (!this.isGone) this.connection?.destroy();
  }

  private get isOver(): boolean {
    return this.destroyed || this.leaving.signal.aborted;
  }

  private takes(): boolean {
    return this.isWanted && !this.isOver;
  }

  private next(): readonly Frame[] | undefined {
    const { first } = this;
    if (!first) return this.options.feed.after(this.position);
    this.first = undefined;
    return [{ position: this.position, bytes: first }];
  }

  private giveAll(frames: readonly Frame[]): void {
    for (const { position, bytes } of frames) {
      if (!this.takes()) return;
      this.position = position;
      this.give(bytes);
    }
  }

  private give(bytes: Buffer): void {
    if (this.push(bytes)) return;
    this.isWanted = false;
    this.refusedAtMs = this.options.monotonicMs();
  }

  /**
   * Reads frames from the store until the feed has all later frames in memory. If an error ends the stream, the watcher
   * reconnects.
   */
  private async catchUp(): Promise<void> {
    this.isCatchingUp = true;
    try {
      await this.options.inTurn(() => this.sendMissed());
      this.isCatchingUp = false;
      this.flow();
    } catch {
      this.destroy();
    }
  }

  private async sendMissed(): Promise<void> {
    for await (const { frames, position } of this.options.feed.missed(this.position, this.leaving.signal)) {
      for (const frame of frames) {
        while (!this.isWanted && !this.isOver) await new Promise<void>((resolve) => (this.room = resolve));
        if (this.isOver) return;
        this.position = frame.position;
        this.give(frame.bytes);
      }
      this.position = Math.max(this.position, position);
    }
  }
}
