import { Cron } from 'croner';

const PARTS = /^(?:@[a-z]+|\S+(?: +\S+){4,5})$/;

/** The instants of a cron pattern, in UTC. Has no timers: whoever asks says what time it is. */
export class Schedule {
  private readonly cron: Cron;

  /**
   * @param pattern five parts (minute to day of week), six with seconds before them, or a name such as `@daily`
   * @throws Error when it is no pattern, or one that no instant fits
   */
  constructor(readonly pattern: string) {
    if (!PARTS.test(pattern)) throw new Error('must be a cron pattern of five or six parts, or a name such as @daily');
    this.cron = new Cron(pattern, { timezone: 'UTC' });
    if (this.after(0) === undefined) throw new Error('must be a cron pattern that some instant fits');
  }

  /** The first instant after `ms`, both in milliseconds since 1970. */
  after(ms: number): number | undefined {
    return this.cron.nextRun(new Date(ms))?.getTime();
  }

  /** The last instant up to and including `ms`. */
  upTo(ms: number): number | undefined {
    // Croner's reference is exclusive.
    return this.cron.previousRuns(1, new Date(ms + 1))[0]?.getTime();
  }
}
