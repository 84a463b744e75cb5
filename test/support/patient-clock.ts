import { ShiftedClock } from './shifted-clock.js';

/**
 * A real-time clock on which short time limits last a minute, so that no operation exceeds them on a busy
 * machine.
 */
export class PatientClock extends ShiftedClock {
  isPatient = true;
  /** Called with the duration of each sleep. */
  onSleep: (ms: number) => void = () => undefined;

  constructor(private readonly limitMs: number) {
    super();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.onSleep(ms);
    const isLimit = this.isPatient && ms === this.limitMs;
    if (isLimit && !signal) return new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    return super.sleep(isLimit ? 60_000 : ms, signal);
  }
}
