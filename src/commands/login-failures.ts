import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { refuseLogin, session } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { currentContext, inContext } from '../platform/context.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import type { Account } from './session-accounts.js';

/** Beyond these a failure is only logged. */
const MAX_UNDER_WAY = 1_000;
/** By then the answer has left, also where the event store writes within this thread. */
const DELAY_MS = 100;

/** Records sign-ins that were refused, after the answer: its time must not tell whether there is such an account. */
@Injectable()
export class LoginFailures implements OnApplicationShutdown {
  private readonly underWay = new Set<Promise<void>>();
  private readonly ending = new AbortController();

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  record({ tenantId, owner: { userId } }: Account, reason: 'WRONG_PASSWORD' | 'INACTIVE'): void {
    if (this.underWay.size >= MAX_UNDER_WAY) {
      this.logger.warn({ tenantId, userId, reason }, 'too many refused sign-ins to record this one');
      return;
    }
    const target = { tenantId, id: this.ids.next() };
    const context = { ...currentContext(), tenantId };
    const writing = this.clock
      .sleep(DELAY_MS, this.ending.signal)
      .then(() => inContext(context, () => this.runner.execute(session, target, { userId, reason }, refuseLogin)))
      .then(
        () => undefined,
        (error: unknown) => {
          this.logger.error({ err: error, tenantId, userId, reason }, 'a refused sign-in was not recorded');
        },
      )
      .finally(() => this.underWay.delete(writing));
    this.underWay.add(writing);
  }

  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.underWay);
  }
}
