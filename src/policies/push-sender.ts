import { setMaxListeners } from 'node:events';
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

/** Pushes that take their turns with each other, and what they have learned of push services. */
type Lane = { readonly gate: Gate; readonly origins: PushOrigins };
/** Undefined where there was no turn in time. */
export type PushTry = (receiver: PushReceiver, message: PushMessage) => Promise<PushResult | undefined>;

/** Sends pushes, few at once, and again where a push service may take them later. */
@Injectable()
export class PushSender {
  private readonly deliveries: Lane;
  /** Somebody waits for a replay: it does not stand in line behind deliveries. */
  private readonly replays = newGate();

  constructor(
    @Inject(PushClient) private readonly client: PushClient,
    @Inject(Backoff) private readonly backoff: Backoff,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUSH_WATCH) private readonly watch: PushWatch,
  ) {
    this.deliveries = { gate: newGate(), origins: new PushOrigins(clock, backoff) };
  }

  /** Until it is delivered, refused for good or given up; at once when the signal aborts. */
  async send(receiver: PushReceiver, message: PushMessage, signal: AbortSignal): Promise<PushResult> {
    const { origin } = new URL(receiver.endpoint);
    const { origins } = this.deliveries;
    for (let attempts = 0; !signal.aborted;) {
      const pauseMs = origins.pauseMs(origin);
      if (pauseMs > 0 && origins.isDown(origin)) return { kind: 'failed', code: 'SERVICE_DOWN' };
      if (pauseMs > 0) {
        await this.clock.sleep(pauseMs, signal);
        continue;
      }
      const outcome = await this.inTurn(this.deliveries, receiver, message, signal);
      if (!outcome) continue;
      attempts += 1;
      if (outcome.kind !== 'again') return resultOf(outcome);
      if (attempts >= MAX_ATTEMPTS) return { kind: 'failed', code: outcome.code };
      const afterMs = Math.min(MAX_AFTER_MS, outcome.afterMs ?? 0);
      await this.clock.sleep(Math.max(afterMs, this.backoff.pauseMs(attempts)), signal);
    }
    return { kind: 'failed', code: 'STOPPED' };
  }

  /**
   * Tries each once, until the signal aborts. A push service is asked whatever has become of earlier deliveries; one that
   * fails twice in a row is left alone for a while, and all its browsers count as failed.
   */
  round(signal: AbortSignal): PushTry {
    // Every try under way listens for the end.
    setMaxListeners(0, signal);
    const lane = { gate: this.replays, origins: new PushOrigins(this.clock, this.backoff) };
    return async (receiver, message) => {
      const outcome = await this.inTurn(lane, receiver, message, signal);
      if (outcome) return resultOf(outcome);
      return signal.aborted ? undefined : { kind: 'failed', code: 'SERVICE_DOWN' };
    };
  }

  /** Undefined where its turn came too late: the push service is left alone by now. */
  private inTurn(
    { gate, origins }: Lane,
    receiver: PushReceiver,
    message: PushMessage,
    signal: AbortSignal,
  ): Promise<PushOutcome | undefined> {
    const { origin } = new URL(receiver.endpoint);
    return gate.run(async () => {
      if (signal.aborted || origins.pauseMs(origin) > 0) return undefined;
      const outcome = await this.client.send(receiver, message, signal);
      this.watch(outcome.kind);
      if (outcome.kind === 'again') origins.failed(origin, outcome.afterMs);
      else origins.worked(origin);
      return outcome;
    });
  }
}

const newGate = (): Gate =>
  new Gate({ atOnce: AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY }, () => new Error('full'));

const resultOf = (outcome: PushOutcome): PushResult =>
  'code' in outcome ? { kind: 'failed', code: outcome.code } : { kind: outcome.kind };
