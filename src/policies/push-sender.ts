import { Inject, Injectable } from '@nestjs/common';
import { Backoff } from '../platform/backoff.js';
import { Gate } from '../platform/gate.js';
import { PushClient, type PushMessage, type PushOutcome, type PushReceiver } from '../platform/push-client.js';
import { PushOrigins } from '../platform/push-origins.js';
import { CLOCK, type Clock } from '../ports/time.js';

export type PushResult = { readonly kind: 'delivered' | 'gone' } | { readonly kind: 'failed'; readonly code: string };

export const PUSH_WATCH = Symbol('PUSH_WATCH');
/** Told of every try's end. */
export type PushWatch = (outcome: PushOutcome['kind']) => void;

const AT_ONCE = 16;
const MAX_ATTEMPTS = 6;
/** A push service that asks for longer is asked again all the same: whoever waits here waits in memory. */
const MAX_AFTER_MS = 5 * 60_000;

/** Sends pushes, few at once, and again where a push service may take them later. */
@Injectable()
export class PushSender {
  private readonly gate = new Gate({ atOnce: AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY }, () => new Error('full'));
  private readonly origins: PushOrigins;

  constructor(
    @Inject(PushClient) private readonly client: PushClient,
    @Inject(Backoff) private readonly backoff: Backoff,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUSH_WATCH) private readonly watch: PushWatch,
  ) {
    this.origins = new PushOrigins(clock, backoff);
  }

  /** Until it is delivered, refused for good or given up; at once when the signal aborts. */
  async send(receiver: PushReceiver, message: PushMessage, signal: AbortSignal): Promise<PushResult> {
    const { origin } = new URL(receiver.endpoint);
    for (let attempts = 0; !signal.aborted;) {
      const pauseMs = this.origins.pauseMs(origin);
      if (pauseMs > 0 && this.origins.isDown(origin)) return { kind: 'failed', code: 'SERVICE_DOWN' };
      if (pauseMs > 0) {
        await this.clock.sleep(pauseMs, signal);
        continue;
      }
      const outcome = await this.gate.run(() => this.inTurn(origin, receiver, message, signal));
      if (!outcome) continue;
      attempts += 1;
      if (outcome.kind !== 'again') return resultOf(outcome);
      if (attempts >= MAX_ATTEMPTS) return { kind: 'failed', code: outcome.code };
      const afterMs = Math.min(MAX_AFTER_MS, outcome.afterMs ?? 0);
      await this.clock.sleep(Math.max(afterMs, this.backoff.pauseMs(attempts)), signal);
    }
    return { kind: 'failed', code: 'STOPPED' };
  }

  /** Once. */
  async try(receiver: PushReceiver, message: PushMessage): Promise<PushResult> {
    const outcome = await this.gate.run(() => this.client.send(receiver, message));
    this.watch(outcome.kind);
    return resultOf(outcome);
  }

  /** Undefined where its turn came too late: the push service is left alone by now. */
  private async inTurn(
    origin: string,
    receiver: PushReceiver,
    message: PushMessage,
    signal: AbortSignal,
  ): Promise<PushOutcome | undefined> {
    if (signal.aborted || this.origins.pauseMs(origin) > 0) return undefined;
    const outcome = await this.client.send(receiver, message);
    this.watch(outcome.kind);
    if (outcome.kind === 'again') this.origins.failed(origin, outcome.afterMs);
    else this.origins.worked(origin);
    return outcome;
  }
}

const resultOf = (outcome: PushOutcome): PushResult =>
  'code' in outcome ? { kind: 'failed', code: outcome.code } : { kind: outcome.kind };
