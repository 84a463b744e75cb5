import { randomUUID } from 'node:crypto';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { BEFORE_ALL, type Position, type RecordedEvent } from '../../../src/ports/event-store.js';
import { type EventMatch, matchOf } from './event-match.js';
import { fromLogPosition, LARGEST_LOG_POSITION, toLogPosition } from './log-position.js';
import type { EventStoreNode } from './node.js';
import { type Outlet, turn } from './outlet.js';
import { streams } from './protocol.js';
import { consumerTooSlow, handlerFailed, invalidPosition } from './rpc-errors.js';

/** Capacity of a subscription's live buffer, in messages. Equal to that of EventStoreDB. */
export const LIVE_BUFFER = 32;
const DEFAULT_SEARCH_WINDOW = 32;

/**
 * A catch-up subscription to $all. If there is a filter, sends a checkpoint after every `window` × `interval` examined
 * events. Otherwise, sends no checkpoints.
 */
export class AllSubscription {
  readonly #node: EventStoreNode;
  readonly #outlet: Outlet;
  readonly #encode: (event: RecordedEvent) => ReadResp;
  readonly #matches: EventMatch;
  readonly #checkpointEvery: number;
  readonly #silences: number;
  readonly #start: Position | undefined;
  /** Position of the last record examined. */
  #position: Position;
  /** Position of the last event or checkpoint sent. */
  #reached: Position;
  #considered = 0;
  #checkpoint: Position | undefined;

  constructor(
    node: EventStoreNode,
    outlet: Outlet,
    target: ReadReq.Options.AllOptions,
    filter: ReadReq.Options.FilterOptions | undefined,
    encode: (event: RecordedEvent) => ReadResp,
  ) {
    this.#node = node;
    this.#outlet = outlet;
    this.#encode = encode;
    this.#matches = matchOf(filter);
    const window = filter?.hasMax() ? filter.getMax() : DEFAULT_SEARCH_WINDOW;
    this.#checkpointEvery = filter ? window * filter.getCheckpointintervalmultiplier() : Infinity;
    this.#silences = node.faults.silences;
    this.#start = startOf(target, node.history.log.last());
    this.#position = this.#reached = this.#start ?? BEFORE_ALL;
  }

  async run(): Promise<void> {
    const { knowsInvalidPositions, fallsBehind } = this.#node.version;
    const isInvalid = this.#start === undefined;
    if (isInvalid && !knowsInvalidPositions) throw handlerFailed();
    await this.#outlet.send(confirmation());
    if (isInvalid) throw invalidPosition();
    if (this.#behind() > 0) await this.#catchUp();
    await this.#outlet.send(caughtUp());
    await (fallsBehind ? this.#goLive() : this.#goLiveBounded());
  }

  #behind(): number {
    return this.#node.history.log.last() - this.#position;
  }

  async #catchUp(): Promise<void> {
    while (!this.#outlet.closed && (await this.#deliverPage())) await (this.#node.faults.hold() ?? turn());
    if (this.#node.version.sendsCheckpointWhenLive) await this.#sendCheckpoint();
  }

  /** Reads the log as it grows. Catches up again if the backlog exceeds the live buffer. */
  async #goLive(): Promise<void> {
    while (!this.#outlet.closed) {
      await this.#whileSilent();
      if (this.#behind() > LIVE_BUFFER) {
        await this.#outlet.send(fellBehind());
        await this.#sendCheckpoint();
        await this.#catchUp();
        await this.#outlet.send(caughtUp());
      } else if (await this.#deliverPage()) await (this.#node.faults.hold() ?? turn());
      else await this.#outlet.until((wake) => this.#node.history.onceBeyond(this.#position, wake));
    }
  }

  /**
   * Adds every commit to the live buffer immediately and sends it to the consumer from there. A commit that does not
   * fit into the buffer ends the subscription, even if the consumer is fast.
   */
  async #goLiveBounded(): Promise<void> {
    const buffer: (() => ReadResp)[] = [];
    let lost = 0;
    let wake: (() => void) | undefined;
    const push = (message: () => ReadResp): void => {
      if (buffer.length < LIVE_BUFFER) buffer.push(message);
      else lost += 1;
    };
    const take = (): void => {
      if (lost === 0) this.#lookAtCommitted(push);
      wake?.();
    };
    const forget = this.#node.history.onCommit(take);
    try {
      take();
      while (!this.#outlet.closed) {
        await (this.#whileSilent() ?? this.#node.faults.hold());
        if (lost > 0) throw consumerTooSlow();
        const message = buffer.shift();
        if (message) await this.#outlet.send(message());
        else
          await this.#outlet.until((done) => {
            wake = done;
            return () => (wake = undefined);
          });
      }
    } finally {
      forget();
    }
  }

  #lookAtCommitted(push: (message: () => ReadResp) => void): void {
    for (;;) {
      const page = this.#node.history.log.page(this.#position + 1, 'forwards');
      if (page.length === 0) return;
      for (const event of page) {
        if (this.#matches(event)) push(() => this.#encode(event));
        this.#position = event.position;
        this.#considered += 1;
        if (this.#considered % this.#checkpointEvery === 0) push(() => checkpointAt(event.position));
      }
    }
  }

  /** Examines the next page of events and delivers those that match. Returns false if the page is empty. */
  async #deliverPage(): Promise<boolean> {
    const page = this.#node.history.log.page(this.#position + 1, 'forwards');
    for (const event of page) {
      if (this.#matches(event)) {
        await this.#outlet.send(this.#encode(event));
        this.#reached = event.position;
      }
      await this.#whileSilent();
      if (this.#outlet.closed) return false;
      this.#position = event.position;
      this.#considered += 1;
      if (this.#considered % this.#checkpointEvery === 0) {
        this.#reached = event.position;
        await this.#sendCheckpoint();
      }
    }
    return page.length > 0;
  }

  async #sendCheckpoint(): Promise<void> {
    if (this.#checkpointEvery === Infinity) return;
    if (this.#checkpoint !== undefined && this.#reached <= this.#checkpoint) return;
    this.#checkpoint = this.#reached;
    await this.#outlet.send(checkpointAt(this.#reached));
  }

  #whileSilent(): Promise<void> | undefined {
    if (this.#silences === this.#node.faults.silences) return undefined;
    return this.#outlet.until(() => () => undefined);
  }
}

function checkpointAt(position: Position): ReadResp {
  const at = position === BEFORE_ALL ? LARGEST_LOG_POSITION : toLogPosition(position);
  const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(at).setPreparePosition(at);
  return new streams.ReadResp().setCheckpoint(checkpoint);
}

export const confirmation = (): ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  );
export const caughtUp = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
export const fellBehind = (): ReadResp => new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind());

/**
 * Returns the exclusive start position, or undefined if no record begins at the requested position. A position beyond
 * the end is valid. The subscription then skips events up to that position.
 */
function startOf(target: ReadReq.Options.AllOptions, last: Position): Position | undefined {
  if (target.hasEnd()) return last;
  const given = target.getPosition();
  return given ? fromLogPosition(given.getCommitPosition(), given.getPreparePosition(), last) : BEFORE_ALL;
}
