import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { refuseLogin, session } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import type { Account } from './session-accounts.js';

/** Maximum number of pending writes. Further failures are only logged. */
const MAX_UNDER_WAY = 1_000;
/** Long enough for the response to be sent first, even if the event store writes on this thread. */
const DELAY_MS = 100;

/** Records rejected sign-ins after the response, so that its timing does not reveal whether the account exists. */
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

  record(
    { tenantId, owner: { userId } }: Pick<Account, 'tenantId' | 'owner'>,
    reason: 'WRONG_PASSWORD' | 'INACTIVE',
  ): void {
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
