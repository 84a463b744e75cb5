import { Worker } from 'node:worker_threads';
import type { Role } from './config.js';
import type { Logger } from './ports/log.js';
import type { NotedError } from './platform/counted-error.js';
import { persistently } from './platform/persistently.js';
import type { Checkpoints } from './platform/windowed-subscriber.js';
import type { ReadStore } from './ports/read-store.js';
import type { Clock } from './ports/time.js';
import type { ThreadReport } from './process-queues.js';
import type { StoreSettings } from './stores.js';
import { checkpointsIn, type SubscriberOffice, type Subscribers } from './subscribers.js';
import { THREAD_LIMITS } from './thread-memory.js';

/** What crosses the border between the serving thread and the subscribers' worker. Never events: both read the store. */
export type ToWorker =
  | { readonly kind: 'head'; readonly head: number }
  | { readonly kind: 'save'; readonly call: number; readonly name: string; readonly position: number }
  | { readonly kind: 'answered'; readonly call: number; readonly fault: string | null; readonly result: unknown }
  | { readonly kind: 'stop' };
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly positions: readonly (readonly [string, number])[] }
  | { readonly kind: 'stopped'; readonly name: string }
  | { readonly kind: 'queues'; readonly report: ThreadReport }
  | { readonly kind: 'projecting'; readonly projectsHere: boolean }
  | { readonly kind: 'saved'; readonly call: number; readonly fault: string | null }
  | { readonly kind: 'noted'; readonly noted: NotedError }
  | { readonly kind: 'ask'; readonly call: number; readonly question: Question };

/** What the worker has written by the thread that may append: the name of an office's method and what it is given. */
export type Question = {
  readonly [Name in keyof SubscriberOffice]: {
    readonly name: Name;
    readonly given: Parameters<SubscriberOffice[Name]>;
  };
}[keyof SubscriberOffice];

export type WorkerSettings = {
  readonly stores: StoreSettings;
  readonly roles: readonly Role[];
  readonly logLevel: string;
};

export type ThreadOptions = {
  readonly settings: WorkerSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly office: SubscriberOffice;
  readonly onProgress: (name: string, position: number) => void;
  readonly onStopped: (name: string) => void;
  readonly onProjecting: (projectsHere: boolean) => void;
  /** What the worker complained of; its texts are bounded. Must not throw. */
  readonly onNoted: (noted: NotedError) => void;
  /** Told about once a second; undefined when the thread has ended. */
  readonly onQueues: (report: ThreadReport | undefined) => void;
  /** What the thread runs. Default: the subscribers. */
  readonly script?: URL;
};

function askOf(office: SubscriberOffice, question: Question): Promise<unknown> {
  switch (question.name) {
    case 'park':
      return office.park(...question.given);
    case 'settle':
      return office.settle(...question.given);
    case 'reportRebuild':
      return office.reportRebuild(...question.given);
  }
}

const NOTIFY_EVERY_MS = 1;
/** A thread that dies after so long has begun well: it is started again soon. */
const LONG_LIFE_MS = 10_000;
/** Less than a process may take to drain. */
const STOP_WITHIN_MS = 6_000;

/** Runs the subscribers in a worker thread; one that dies is started again, and goes on from its checkpoints. */
export class SubscriberThread implements Subscribers {
  private worker: Worker | undefined;
  private isReady = false;
  private readonly calls = new Map<number, (fault: string | null) => void>();
  private lastCall = 0;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private announced: number | undefined;
  private announcedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ThreadOptions) {}

  /** Resolves when the worker has its tables and subscriptions. @throws Error when it cannot start */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.running = this.keepRunning(resolve, reject);
    });
  }

  get isAlive(): boolean {
    return this.isReady;
  }

  /** Tells the worker that something was committed; at most once in a millisecond, since a message costs some µs. */
  notify(head: number): void {
    const isFirst = this.announced === undefined;
    this.announced = head;
    if (!isFirst) return;
    const wait = this.announcedAtMs + NOTIFY_EVERY_MS - this.options.clock.monotonicMs();
    if (wait <= 0) setImmediate(this.announce);
    else setTimeout(this.announce, wait);
  }

  private readonly announce = (): void => {
    if (this.announced === undefined) return;
    this.post({ kind: 'head', head: this.announced });
    this.announced = undefined;
    this.announcedAtMs = this.options.clock.monotonicMs();
  };

  /** Checkpoints of the serving thread's own subscribers: read here, written by the thread that may write. */
  checkpoints(store: ReadStore): Checkpoints {
    return {
      load: (name) => checkpointsIn(store).load(name),
      save: (name, position) =>
        new Promise((resolve, reject) => {
          const call = (this.lastCall += 1);
          this.calls.set(call, (fault) => {
            if (fault === null) resolve();
            else reject(new Error(fault));
          });
          if (!this.post({ kind: 'save', call, name, position })) this.answer(call, 'the worker is away');
        }),
    };
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    // One that is not ready yet hears it when it listens.
    this.worker?.postMessage({ kind: 'stop' } satisfies ToWorker);
    const waiting = new AbortController();
    const { clock, logger } = this.options;
    const late = clock.sleep(STOP_WITHIN_MS, waiting.signal).then(() => {
      if (!waiting.signal.aborted) logger.warn({}, 'the subscribers do not end; their thread is ended');
    });
    await Promise.race([this.running, late]);
    waiting.abort();
    await this.worker?.terminate();
    await this.running;
  }

  private async keepRunning(started: () => void, failed: (error: Error) => void): Promise<void> {
    const { clock, logger } = this.options;
    const { signal } = this.stopping;
    const attempt = async (gotOn: () => void): Promise<void> => {
      const beganAtMs = clock.monotonicMs();
      const fault = await this.runOnce(started);
      if (signal.aborted) return;
      if (clock.monotonicMs() - beganAtMs >= LONG_LIFE_MS) gotOn();
      throw fault;
    };
    await persistently(clock, signal, attempt, (error) => {
      failed(error as Error);
      logger.error({ err: error }, 'the subscribers died; they are started again');
    });
  }

  /** Resolves when the worker has ended. */
  private runOnce(started: () => void): Promise<Error> {
    return new Promise((resolve) => {
      const worker = new Worker(this.options.script ?? new URL('./subscribers.worker.js', import.meta.url), {
        workerData: this.options.settings,
        resourceLimits: THREAD_LIMITS,
      });
      this.worker = worker;
      let fault = new Error('the worker ended');
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') {
          this.isReady = true;
          started();
        } else this.receive(message);
      });
      worker.on('error', (error) => (fault = error));
      worker.on('exit', () => {
        this.worker = undefined;
        this.isReady = false;
        this.options.onProjecting(false);
        this.options.onQueues(undefined);
        for (const call of [...this.calls.keys()]) this.answer(call, 'the worker ended');
        resolve(fault);
      });
    });
  }

  private receive(message: Exclude<FromWorker, { kind: 'ready' }>): void {
    switch (message.kind) {
      case 'progress':
        for (const [name, position] of message.positions) this.options.onProgress(name, position);
        break;
      case 'stopped':
        this.options.onStopped(message.name);
        break;
      case 'queues':
        this.options.onQueues(message.report);
        break;
      case 'projecting':
        this.options.onProjecting(message.projectsHere);
        break;
      case 'saved':
        this.answer(message.call, message.fault);
        break;
      case 'ask':
        this.respond(message.call, message.question);
        break;
      case 'noted':
        this.options.onNoted(message.noted);
    }
  }

  private respond(call: number, question: Question): void {
    askOf(this.options.office, question).then(
      (result) => this.post({ kind: 'answered', call, fault: null, result }),
      (error: unknown) => this.post({ kind: 'answered', call, fault: String(error), result: undefined }),
    );
  }

  private answer(call: number, fault: string | null): void {
    const answer = this.calls.get(call);
    this.calls.delete(call);
    answer?.(fault);
  }

  private post(message: ToWorker): boolean {
    if (this.isReady) this.worker?.postMessage(message);
    return this.isReady;
  }
}
