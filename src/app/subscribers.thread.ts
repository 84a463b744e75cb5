import { Worker } from 'node:worker_threads';
import type { Config, Role } from '../config.js';
import { BEFORE_ALL, type LiveAfter, type Position } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { HistorySpace } from '../eventsourcing/history-state.js';
import type { NotedError } from '../observability/counted-error.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { withTimeout } from '../eventsourcing/with-timeout.js';
import { checkpointsIn, type Checkpoints } from '../projecting/checkpoints.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import { projections } from '../projections/projections.js';
import type { ThreadReport } from '../observability/queue-meters.js';
import type { StoreSettings } from './stores.js';
import { forwardedOf, type SubscriberCallbacks, type SubscriberListeners, type Subscribers } from './subscribers.js';
import { ThreadCalls, type ThreadMessage } from './thread-calls.js';
import type { PublishInThread, PublishingThread } from './thread-broker.js';
import { THREAD_LIMITS } from './thread-memory.js';
import type { WebhookSettings } from './webhooks.js';
import type { IntegritySettings } from './integrity.js';

/**
 * Methods of the worker that the serving thread calls.
 */
export type WorkerMethods = {
  readonly head: (head: number) => void;
  readonly save: Checkpoints['save'];
  readonly publish: PublishInThread;
  readonly stop: () => void;
};

/** Provides live events to the worker. Always returns undefined if the worker reads the history itself. */
export type LiveEvents = { readonly liveAfter: LiveAfter };

/** Methods of the serving thread that the worker calls, in addition to `SubscriberCallbacks` and `LiveEvents`. */
export type ThreadListeners = Omit<SubscriberListeners, 'onProgress'> & {
  /**
   * Called when the worker's tables and subscriptions are open. `isRecreated`: the worker found damaged read models and
   * is rebuilding them.
   */
  readonly onReady: (isRecreated: boolean) => void;
  /** Without `names`, the position applies to all projections. Without `ranges`, it applies to the whole history. */
  readonly onProgress: (position: Position, names?: readonly string[], ranges?: readonly number[]) => void;
  /** Called for a warning or error from the worker, with truncated text. Must not throw. */
  readonly onNoted: (noted: NotedError) => void;
  /** Reports the state of the worker's queues about once a second. */
  readonly onQueues: (report: ThreadReport) => void;
};

export type WorkerSettings = {
  readonly stores: StoreSettings;
  /**
   * Id of this process as a lease holder. Both threads use this id, so only one of them may contend for any given
   * lease.
   */
  readonly holder: string;
  readonly roles: readonly Role[];
  readonly restoreForward: Config['RESTORE_FORWARD'];
  readonly logLevel: string;
  readonly webhooks: WebhookSettings;
  readonly integrity: IntegritySettings;
  /** The part of the read store that belongs to the history. */
  readonly history: HistorySpace;
};
/** `forwarded`: the forwarder's last known position, in case its checkpoint was lost with the read models. */
export type WorkerData = WorkerSettings & { readonly forwarded: Position };

export type ThreadOptions = {
  readonly settings: WorkerSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly listeners: SubscriberListeners & Pick<ThreadListeners, 'onNoted'>;
  readonly onReady?: (begun: { readonly isRecreated: boolean; readonly isFirst: boolean }) => void;
  /** Receives undefined once the thread has ended. */
  readonly onQueues: (report: ThreadReport | undefined) => void;
  readonly liveAfter?: LiveAfter | undefined;
  /** Script that the thread runs. Default: the subscribers' worker. */
  readonly script?: URL;
};

const MODELS = projections.map(({ model }) => model.name);
const NOTIFY_EVERY_MS = 1;
/** Minimum run time after which a thread that dies is restarted without a long delay. */
const LONG_LIFE_MS = 10_000;
/** Maximum time for the thread to stop. It must be shorter than the process's drain time. */
const STOP_WITHIN_MS = 6_000;

/** Runs the subscribers in a worker thread. A thread that dies is restarted and continues from its checkpoints. */
export class SubscriberThread implements Subscribers, PublishingThread {
  private worker: Worker | undefined;
  private isReady = false;
  private calls: ThreadCalls<WorkerMethods, WorkerMethods> | undefined;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private started: () => void = () => undefined;
  private hasBegun = false;
  private forwarded: Position = BEFORE_ALL;
  private announced: number | undefined;
  private announcedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ThreadOptions) {}

  /** Resolves once the worker's tables and subscriptions are open. @throws Error if the worker cannot start */
  async start(callbacks: SubscriberCallbacks): Promise<void> {
    this.calls = new ThreadCalls((message) => this.post(message), this.methodsFor(callbacks));
    await new Promise<void>((resolve, reject) => {
      this.started = resolve;
      this.running = this.keepRunning(reject);
    });
  }

  private methodsFor(callbacks: SubscriberCallbacks): ThreadListeners & SubscriberCallbacks & LiveEvents {
    const { listeners, onQueues, liveAfter = () => Promise.resolve(undefined) } = this.options;
    return {
      ...listeners,
      ...callbacks,
      liveAfter,
      onReady: (isRecreated) => {
        this.ready(isRecreated);
      },
      onProgress: (position, names = MODELS, ranges) => {
        for (const name of names) listeners.onProgress(name, position, ranges);
      },
      onQueues: (report) => {
        // Keep the highest position, because a forwarder that has just started has not reported its position yet.
        this.forwarded = Math.max(this.forwarded, forwardedOf(report.queues));
        onQueues(report);
      },
    };
  }

  get isAlive(): boolean {
    return this.isReady;
  }

  /** Notifies the worker of a commit, at most once per millisecond, because each message costs a few microseconds. */
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
    this.calls?.told.head(this.announced);
    this.announced = undefined;
    this.announcedAtMs = this.options.clock.monotonicMs();
  };

  /**
   * Returns the checkpoints of the serving thread's own subscribers. They are loaded in this thread, but saved by the
   * thread that writes to the read store.
   */
  checkpoints(store: ReadStore): Checkpoints {
    return {
      ...checkpointsIn(store),
      save: async (name, position) => {
        if (!this.calls) throw new Error('the thread has not started');
        await this.calls.asked.save(name, position);
      },
    };
  }

  readonly publish: PublishInThread = (messages, source) => {
    if (!this.calls) return Promise.reject(new Error('the thread has not started'));
    return this.calls.asked.publish(messages, source);
  };

  async stop(): Promise<void> {
    this.stopping.abort();
    // A worker that is not ready yet receives the message once it is listening.
    this.worker?.postMessage({ name: 'stop', given: [], call: null } satisfies ThreadMessage);
    const { clock, logger } = this.options;
    const hasEnded = await withTimeout(clock, STOP_WITHIN_MS, () => this.running.then(() => true));
    if (!hasEnded) logger.warn({}, 'the subscribers did not stop in time; terminating their thread');
    await this.worker?.terminate();
    await this.running;
  }

  private async keepRunning(failed: (error: Error) => void): Promise<void> {
    const { clock, logger } = this.options;
    const { signal } = this.stopping;
    const attempt = async (gotOn: () => void): Promise<void> => {
      const beganAtMs = clock.monotonicMs();
      const fault = await this.runOnce();
      if (signal.aborted) return;
      if (clock.monotonicMs() - beganAtMs >= LONG_LIFE_MS) gotOn();
      throw fault;
    };
    await retryForever(clock, signal, attempt, (error) => {
      failed(error as Error);
      logger.error({ err: error }, 'the subscriber thread died; restarting it');
    });
  }

  /** Resolves once the worker has exited. */
  private runOnce(): Promise<Error> {
    return new Promise((resolve) => {
      const worker = new Worker(this.options.script ?? new URL('./subscribers.worker.js', import.meta.url), {
        workerData: { ...this.options.settings, forwarded: this.forwarded } satisfies WorkerData,
        resourceLimits: THREAD_LIMITS,
      });
      this.worker = worker;
      let fault = new Error('the worker ended');
      worker.on('message', (message: ThreadMessage) => {
        this.calls?.receive(message);
      });
      worker.on('error', (error) => (fault = error));
      worker.on('exit', () => {
        this.worker = undefined;
        this.isReady = false;
        this.options.onQueues(undefined);
        this.calls?.end();
        resolve(fault);
      });
    });
  }

  private ready(isRecreated: boolean): void {
    this.isReady = true;
    this.options.onReady?.({ isRecreated, isFirst: !this.hasBegun });
    this.hasBegun = true;
    this.started();
  }

  private post(message: ThreadMessage): boolean {
    if (this.isReady) this.worker?.postMessage(message);
    return this.isReady;
  }
}
