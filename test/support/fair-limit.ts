import { setTimeout as delay } from 'node:timers/promises';

/**
 * A time limit that adapts to the load of the machine. If pauses take three times as long as requested, everything else
 * may take three times as long.
 */
export class FairLimit {
  private usedMs = 0;
  private sinceMs = performance.now();

  constructor(private readonly withinMs: number) {}

  get isOver(): boolean {
    return this.usedMs > this.withinMs;
  }

  async pause(ms: number): Promise<void> {
    const beganMs = performance.now();
    await delay(ms);
    const endedMs = performance.now();
    this.usedMs += (endedMs - this.sinceMs) * Math.min(1, ms / (endedMs - beganMs));
    this.sinceMs = endedMs;
  }
}
