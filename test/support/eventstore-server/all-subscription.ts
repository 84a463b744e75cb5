import { randomUUID } from 'node:crypto';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { BEFORE_ALL, type Position, type RecordedEvent } from '../../../src/ports/event-store.js';
import { type EventMatch, matchOf } from './event-match.js';
import { fromLogPosition, toLogPosition } from './log-position.js';
import type { EventStoreNode } from './node.js';
import { type Outlet, turn } from './outlet.js';
import { streams } from './protocol.js';
import { invalidPosition } from './rpc-errors.js';

/** Live events that may wait for a slow subscriber: with more, it falls behind and catches up from the log. */
export const LIVE_BUFFER = 32;
const DEFAULT_SEARCH_WINDOW = 32;

/**
 * A catch-up subscription to $all. With a filter, a checkpoint is sent after every `window` × `interval` events looked
 * at, and when the end is reached; without one, none.
 */
export class AllSubscription {
  readonly #node: EventStoreNode;
  readonly #outlet: Outlet;
  readonly #encode: (event: RecordedEvent) => ReadResp;
  readonly #matches: EventMatch;
  readonly #checkpointEvery: number;
  readonly #silences: number;
  /** The last record that was looked at. */
  #position: Position;
  #considered = 0;
  #checkpoint: Position = BEFORE_ALL;

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
    this.#position = startOf(target, node.history.log.last());
  }

  async run(): Promise<void> {
    await this.#outlet.send(confirmation());
    let live = this.#position >= this.#node.history.log.last();
    if (live) await this.#outlet.send(caughtUp());
    while (!this.#outlet.closed) {
      await this.#whileSilent();
      if (live && this.#behind() > LIVE_BUFFER) {
        live = false;
        await this.#outlet.send(fellBehind());
        await this.#sendCheckpoint();
      }
      const more = await this.#deliverPage();
      if (more) await (this.#node.faults.hold() ?? turn());
      else if (live) await this.#committed();
      else {
        live = true;
        await this.#sendCheckpoint();
        await this.#outlet.send(caughtUp());
      }
    }
  }

  #behind(): number {
    return this.#node.history.log.last() - this.#position;
  }

  /** False where nothing was left to look at. */
  async #deliverPage(): Promise<boolean> {
    const page = this.#node.history.log.page(this.#position + 1, 'forwards');
    for (const event of page) {
      if (this.#matches(event)) await this.#outlet.send(this.#encode(event));
      await this.#whileSilent();
      if (this.#outlet.closed) return false;
      this.#position = event.position;
      this.#considered += 1;
      if (this.#considered % this.#checkpointEvery === 0) await this.#sendCheckpoint();
    }
    return page.length > 0;
  }

  async #sendCheckpoint(): Promise<void> {
    if (this.#checkpointEvery === Infinity || this.#position <= this.#checkpoint) return;
    this.#checkpoint = this.#position;
    const at = toLogPosition(this.#position);
    const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(at).setPreparePosition(at);
    await this.#outlet.send(new streams.ReadResp().setCheckpoint(checkpoint));
  }

  async #committed(): Promise<void> {
    await this.#outlet.until((wake) => this.#node.history.onceBeyond(this.#position, wake));
  }

  async #whileSilent(): Promise<void> {
    if (this.#silences !== this.#node.faults.silences) await this.#outlet.until(() => () => undefined);
  }
}

export const confirmation = (): ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  );
export const caughtUp = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
export const fellBehind = (): ReadResp => new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind());

/** Exclusive. A position beyond the end is taken: nothing up to it will be delivered. */
function startOf(target: ReadReq.Options.AllOptions, last: Position): Position {
  if (target.hasEnd()) return last;
  const given = target.getPosition();
  if (!given) return BEFORE_ALL;
  const position = fromLogPosition(given.getCommitPosition(), given.getPreparePosition(), Number.MAX_SAFE_INTEGER);
  if (position === undefined) throw invalidPosition();
  return position;
}
