import { randomUUID } from 'node:crypto';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { BEFORE_ALL } from '../../src/ports/event-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { shared, streams, StreamsService } from '../support/eventstore-server/protocol.js';

const END_OF_LOG = '1000';
const LARGEST = String(2n ** 64n - 1n);

const confirmation = () =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  );
const checkpoint = (commit: string, prepare: string) =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(commit).setPreparePosition(prepare),
  );

/** Returns an event at the position that was previously the end of the log. */
function lateEvent(): ReadResp {
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(randomUUID()))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('sale-9')))
    .setCommitPosition(END_OF_LOG)
    .setPreparePosition(END_OF_LOG)
    .setData(Buffer.from('{}'));
  record.getMetadataMap().set('type', 'Counted').set('content-type', 'application/json').set('created', '0');
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(record));
}

describe('A subscription of the EventStoreDB adapter ended by the server after the checkpoint', () => {
  let server: Server;
  let store: EventStoreDb;
  /** Start positions of the subscriptions. */
  let starts: string[];
  let told: ReadResp;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);

  function read(call: ServerWritableStream<ReadReq, ReadResp>): void {
    const options = call.request.getOptions();
    if (!options?.hasSubscription()) {
      if (starts.length > 0) call.write(lateEvent());
      call.end();
      return;
    }
    starts.push(options.getAll()?.getPosition()?.getCommitPosition() ?? 'the start');
    call.write(confirmation());
    if (starts.length === 1) {
      call.write(told);
      call.end();
    } else call.write(lateEvent());
  }

  beforeEach(async () => {
    starts = [];
    process.on('unhandledRejection', note);
    server = new Server();
    server.addService(StreamsService, { read });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    const url = `esdb://127.0.0.1:${port}?tls=false`;
    store = EventStoreDb.open({ url, clock: new SystemClock(), logger: silentLogger });
  });
  afterEach(async () => {
    await store.close();
    server.forceShutdown();
    process.off('unhandledRejection', note);
    expect(unhandled.splice(0)).toEqual([]);
  });

  test.each([
    ['of a position', '700', '700', '700'],
    ['of 24.10.4 before any match', LARGEST, LARGEST, 'the start'],
    ['beyond exact numbers', '9007199254740993', '9007199254740993', 'the start'],
    ['at the end of the log with prepare 0', END_OF_LOG, '0', 'the start'],
    ['with two positions', END_OF_LOG, '700', 'the start'],
  ])('%s restarts at a position after which no event can be missed', async (_, commit, prepare, start) => {
    told = checkpoint(commit, prepare);
    const filter = { on: 'stream', prefixes: ['sale-'] } as const;
    for await (const { events, position } of store.subscribeToAll({ after: BEFORE_ALL, filter })) {
      if (events.length === 0) continue;
      expect(events.map(({ stream }) => stream)).toEqual(['sale-9']);
      expect(position).toBe(1_000);
      break;
    }
    expect(starts).toEqual(['the start', start]);
  });
});
