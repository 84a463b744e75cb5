import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { Backoff } from '../eventsourcing/backoff.js';
import { FairQueue } from '../eventsourcing/fair-queue.js';
import { PushClient, type PushMessage, type PushOutcome, type PushReceiver } from '../security/push-client.js';
import { PushHosts } from '../security/push-hosts.js';
import { CLOCK, type Clock } from '../ports/time.js';

export type PushResult = { readonly kind: 'delivered' | 'gone' } | { readonly kind: 'failed'; readonly code: string };

export const PUSH_WATCH = Symbol('PUSH_WATCH');
/** Receives the outcome of every attempt. */
export type PushWatch = (outcome: PushOutcome['kind']) => void;

/** Concurrency limit shared by all tenants. A single tenant uses at most half of the slots. */
const PLACES = { atOnce: 32, leavesRoom: true };
/** Response timeout for a push service whose last attempt failed. */
const TROUBLED_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 6;
/** Maximum retry delay that a push service may request. It is limited because pushes wait in memory. */
const MAX_AFTER_MS = 5 * 60_000;

/** A queue of pushes with the observed state of the push services. */
type Lane = { readonly queue: FairQueue; readonly hosts: PushHosts };
/** A browser and the tenant to which it belongs. */
export type TenantReceiver = PushReceiver & { readonly tenantId: string };
/** Attempts a push. Resolves to undefined if it was not attempted in time. */
export type PushTry = (receiver: TenantReceiver, message: PushMessage) => Promise<PushResult | undefined>;

/**
 * Sends pushes with limited concurrency, and retries failed ones. Tenants share the slots fairly. Push service failures
 * are counted per tenant. One tenant's endpoints therefore do not delay other tenants' pushes.
 */
@Injectable()
export class PushSender {
  private readonly deliveries: Lane;
  /** Callers wait for replays, so replays do not queue behind deliveries. */
  private readonly replays = new FairQueue(PLACES);

  constructor(
    @Inject(PushClient) private readonly client: PushClient,
    @Inject(Backoff) private readonly backoff: Backoff,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUSH_WATCH) private readonly watch: PushWatch,
  ) {
    this.deliveries = { queue: new FairQueue(PLACES), hosts: new PushHosts(clock, backoff) };
  }

  /**
   * Resolves when the push has been delivered, rejected or abandoned. As soon as the signal aborts, resolves with the
   * code STOPPED.
   */
  async send(receiver: TenantReceiver, message: PushMessage, signal: AbortSignal): Promise<PushResult> {
    const host = hostOf(receiver);
    const { hosts } = this.deliveries;
    for (let attempts = 0; !signal.aborted;) {
      const pauseMs = hosts.pauseMs(host);
      if (pauseMs > 0 && hosts.isDown(host)) return { kind: 'failed', code: 'SERVICE_DOWN' };
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
   * Returns a function that attempts each push once, until the signal aborts. Ignores failures of earlier deliveries. A
   * push service that fails twice in a row is skipped for a while, and pushes to its browsers count as failed.
   */
  round(signal: AbortSignal): PushTry {
    // Every attempt in flight adds a listener to the signal.
    setMaxListeners(0, signal);
    const lane = { queue: this.replays, hosts: new PushHosts(this.clock, this.backoff) };
    return async (receiver, message) => {
      const outcome = await this.inTurn(lane, receiver, message, signal);
      if (outcome) return resultOf(outcome);
      return signal.aborted ? undefined : { kind: 'failed', code: 'SERVICE_DOWN' };
    };
  }

  /**
   * Runs an attempt when its turn comes. Returns undefined if the signal has aborted by then, or if the push service is
   * paused.
   */
  private inTurn(
    { queue, hosts }: Lane,
    receiver: TenantReceiver,
    message: PushMessage,
    signal: AbortSignal,
  ): Promise<PushOutcome | undefined> {
    const host = hostOf(receiver);
    return queue.run({ group: receiver.tenantId }, async () => {
      if (signal.aborted || hosts.pauseMs(host) > 0) return undefined;
      const timeoutMs = hosts.isTroubled(host) ? TROUBLED_TIMEOUT_MS : undefined;
      const outcome = await this.client.send(receiver, message, signal, timeoutMs);
      this.watch(outcome.kind);
      if (outcome.kind === 'again') hosts.failed(host, outcome.afterMs);
      else hosts.worked(host);
      return outcome;
    });
  }
}

/**
 * Identifies a push service. All ports of a host count as one. Tenants are tracked separately, so that one tenant's
 * failures do not affect others.
 */
const hostOf = ({ tenantId, endpoint }: TenantReceiver): string => `${tenantId} ${new URL(endpoint).hostname}`;

const resultOf = (outcome: PushOutcome): PushResult =>
  'code' in outcome ? { kind: 'failed', code: outcome.code } : { kind: outcome.kind };
