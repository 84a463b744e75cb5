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
  private usedMs = cpuMs();
  private lastMs = performance.now();
  private share = 0;

  readonly read = (): number => {
    const nowMs = performance.now();
    if (nowMs - this.lastMs >= LOOK_EVERY_MS) {
      const usedMs = cpuMs();
      this.share = (usedMs - this.usedMs) / (nowMs - this.lastMs);
      [this.usedMs, this.lastMs] = [usedMs, nowMs];
    }
    return Math.min(1, Math.max(this.loop.read(), this.share));
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
