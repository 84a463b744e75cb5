import { retryForever } from '../eventsourcing/retry-forever.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';

const TIMEOUT_MS = 10_000;
/** Limit of notes that wait for the witness. The oldest are dropped, because later ones cover the same events. */
const MAX_WAITING = 1_440;

/** Posts checkpoints to a server outside the service, in order. */
export class Witness {
  private readonly waiting: string[] = [];
  private posting: Promise<unknown> | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  post(note: string): void {
    this.waiting.push(note);
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
    this.posting ??= this.postAll().finally(() => (this.posting = undefined));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.posting;
  }

  private async postAll(): Promise<void> {
    const { signal } = this.stopping;
    const complain = (error: unknown): void => {
      this.logger.warn({ reason: String(error) }, 'INTEGRITY_WITNESS_URL does not accept checkpoints');
    };
    for (let note = this.waiting[0]; note !== undefined && !signal.aborted; note = this.waiting[0]) {
      const body = note;
      await retryForever(this.clock, signal, () => this.postOne(body), complain);
      if (this.waiting[0] === body) this.waiting.shift();
    }
  }

  private async postOne(body: string): Promise<void> {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const over = AbortSignal.timeout(TIMEOUT_MS);
    const stop = new AbortController();
    const end = (): void => {
      stop.abort();
    };
    const sources = [over, this.stopping.signal];
    for (const source of sources) source.addEventListener('abort', end, { once: true });
    try {
      const { signal } = stop;
      const response = await fetch(this.url, { method: 'POST', body, headers, redirect: 'error', signal });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`status ${response.status}`);
    } finally {
      for (const source of sources) source.removeEventListener('abort', end);
    }
  }
}
