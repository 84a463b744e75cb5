import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

// The thread's code is a string, so that the build and the test runner need not locate and compile another file.
const script = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require(workerData.driver);
  const db = new DatabaseSync(workerData.file, { timeout: 0 });
  db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -1000');
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  parentPort.on('message', (message) => {
    if (message === 'close') {
      db.close();
      parentPort.close();
      return;
    }
    try {
      checkpoint.get();
    } finally {
      parentPort.postMessage('done');
    }
  });
`;

/**
 * Runs checkpoints in a separate thread with its own connection, while the writer appends. The thread is started on
 * first use.
 */
export class CheckpointThread {
  private worker: Worker | undefined;
  private onDone: ((ok: boolean) => void) | undefined;

  constructor(private readonly file: string) {}

  get busy(): boolean {
    return this.onDone !== undefined;
  }

  /**
   * Runs a checkpoint and then calls `onDone` once, passing false if the thread failed. Must not be called while `busy`
   * is true.
   */
  checkpoint(onDone: (ok: boolean) => void): void {
    this.onDone = onDone;
    this.worker ??= this.start();
    this.worker.postMessage('checkpoint');
  }

  /**
   * Waits for a running checkpoint to finish, because terminating a thread during a driver call would abort the
   * process.
   */
  async close(): Promise<void> {
    this.onDone = undefined;
    const worker = this.worker;
    if (!worker) return;
    worker.ref();
    await new Promise((ended) => {
      worker.once('exit', ended);
      worker.postMessage('close');
    });
  }

  private start(): Worker {
    const driver = createRequire(import.meta.url).resolve('@photostructure/sqlite');
    const worker = new Worker(script, {
      eval: true,
      workerData: { driver, file: this.file },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
    });
    worker.unref();
    worker.on('message', () => {
      this.finish(true);
    });
    worker.on('error', () => {
      this.worker = undefined;
      this.finish(false);
    });
    return worker;
  }

  private finish(ok: boolean): void {
    const onDone = this.onDone;
    this.onDone = undefined;
    onDone?.(ok);
  }
}
