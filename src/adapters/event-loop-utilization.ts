import { performance } from 'node:perf_hooks';

/** Minimum interval between measurements. Shorter intervals would not produce meaningful values. */
const LOOK_EVERY_MS = 50;

/**
 * Utilization of this thread's event loop (0 to 1), measured from one call to the next if they are at least 50 ms
 * apart. It is 0 until the first measurement.
 */
export class EventLoopUtilization {
  private last = performance.eventLoopUtilization();
  private share = 0;

  readonly read = (): number => {
    const now = performance.eventLoopUtilization();
    const since = performance.eventLoopUtilization(now, this.last);
    if (since.active + since.idle < LOOK_EVERY_MS) return this.share;
    this.last = now;
    this.share = since.utilization;
    return this.share;
  };
}

/**
 * Utilization of this thread's event loop, or CPU use of all threads of the process as a share of one core, whichever is
 * greater (0 to 1). The event loop is also busy while a CPU quota suspends the process.
 */
export class ProcessLoad {
  private readonly loop = new EventLoopUtilization();
  private last = process.cpuUsage();
  private lastMs = performance.now();
  private share = 0;

  readonly read = (): number => {
    const elapsedMs = performance.now() - this.lastMs;
    if (elapsedMs >= LOOK_EVERY_MS) {
      const { user, system } = process.cpuUsage(this.last);
      this.share = (user + system) / 1_000 / elapsedMs;
      this.last = process.cpuUsage();
      this.lastMs = performance.now();
    }
    return Math.min(1, Math.max(this.loop.read(), this.share));
  };
}
