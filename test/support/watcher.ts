import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export type Received = { readonly event: string; readonly id: string | undefined; readonly data: unknown };

const PATIENCE_MS = 10_000;

/** Follows a stream of server-sent events as a browser does, over a separate connection. */
export class Watcher {
  readonly events: Received[] = [];
  readonly comments: string[] = [];
  /** All data received so far, as text. */
  text = '';
  isOver = false;
  /** Error that broke the stream. Undefined if nothing has broken the stream. */
  failure: Error | undefined;
  private taken = 0;
  private rest = '';

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.receive(chunk);
    });
    response.on('error', (error) => (this.failure = error));
    response.on('close', () => (this.isOver = true));
  }

  /** Resolves when the headers arrive or, if the response is not a stream, when the response is complete. */
  static async open(url: string, token: string, lastEventId?: string): Promise<Watcher> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, agent: false }, resolve).on('error', reject);
    });
    const watcher = new Watcher(response);
    if (response.statusCode !== 200) while (!watcher.isOver) await delay(1);
    return watcher;
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.response.headers;
  }

  /** Resolves with the next event that has not been returned yet. */
  async next(): Promise<Received> {
    const endMs = performance.now() + PATIENCE_MS;
    while (performance.now() < endMs) {
      const event = this.events[this.taken];
      if (event) {
        this.taken += 1;
        return event;
      }
      await delay(2);
    }
    throw new Error(`No event came after ${this.taken}: ${this.text}`);
  }

  leave(): void {
    this.response.destroy();
  }

  stopReading(): void {
    this.response.pause();
  }

  private receive(chunk: string): void {
    this.text += chunk;
    const blocks = (this.rest + chunk).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) this.note(block);
  }

  private note(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments.push(line.slice(1).trim());
      else fields.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
    }
    const data = fields.get('data');
    if (data !== undefined)
      this.events.push({ event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) });
  }
}
