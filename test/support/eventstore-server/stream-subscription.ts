import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type RecordedEvent, StreamTombstoned } from '../../../src/ports/event-store.js';
import { caughtUp, confirmation, fellBehind, LIVE_BUFFER } from './all-subscription.js';
import { nameOf } from './append-service.js';
import type { EventStoreNode } from './node.js';
import { type Outlet, turn } from './outlet.js';
import { consumerTooSlow } from './rpc-errors.js';
import { FOR_EVER } from './stream-rules.js';

const PAGE_EVENTS = 64;

/**
 * A catch-up subscription to one stream, which need not exist yet. Like EventStoreDB, skips events that the stream's
 * metadata hides during catch-up, but delivers all live events. A tombstone ends the subscription.
 */
export class StreamSubscription {
  readonly #node: EventStoreNode;
  readonly #outlet: Outlet;
  readonly #stream: string;
  readonly #encode: (event: RecordedEvent) => ReadResp;
  readonly #silences: number;
  #next: number;

  constructor(
    node: EventStoreNode,
    outlet: Outlet,
    target: ReadReq.Options.StreamOptions,
    encode: (event: RecordedEvent) => ReadResp,
  ) {
    this.#node = node;
    this.#outlet = outlet;
    this.#encode = encode;
    this.#silences = node.faults.silences;
    this.#stream = nameOf(target.getStreamIdentifier());
    this.#next = 0;
    if (target.hasRevision()) this.#next = Number(target.getRevision()) + 1;
    if (target.hasEnd()) this.#next = node.history.log.endOf(this.#stream).revision + 1;
  }

  async run(): Promise<void> {
    await this.#outlet.send(confirmation());
    let live = false;
    while (!this.#outlet.closed) {
      const head = this.#node.history.log.last();
      const end = this.#node.history.log.endOf(this.#stream).revision;
      if (end === FOR_EVER) throw new StreamTombstoned(this.#stream);
      if (live && end - this.#next >= LIVE_BUFFER) {
        if (!this.#node.version.fallsBehind) throw consumerTooSlow();
        live = false;
        await this.#outlet.send(fellBehind());
      }
      const events = live ? this.#node.history.log.streamPage(this.#stream, this.#next) : this.#visible();
      await this.#deliver(events);
      if (events.length > 0) await (this.#node.faults.hold() ?? turn());
      else if (live) await this.#outlet.until((wake) => this.#node.history.onceBeyond(head, wake));
      else {
        live = true;
        this.#next = Math.max(this.#next, end + 1);
        await this.#outlet.send(caughtUp());
      }
    }
  }

  #visible(): readonly RecordedEvent[] {
    const from = Math.min(this.#next, Number.MAX_SAFE_INTEGER);
    return this.#node.history.store.readStream(this.#stream, { from, maxCount: PAGE_EVENTS }).events;
  }

  async #deliver(events: readonly RecordedEvent[]): Promise<void> {
    for (const event of events) {
      if (this.#silences !== this.#node.faults.silences) await this.#outlet.until(() => () => undefined);
      if (this.#outlet.closed) return;
      await this.#outlet.send(this.#encode(event));
      this.#next = event.revision + 1;
    }
  }
}
