import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials, type ServerDuplexStream, type ServerWritableStream } from '@grpc/grpc-js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreDb } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import {
  type Append,
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  EventTooLarge,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../src/ports/event-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { Any, rpc, shared, streams, StreamsService } from '../support/eventstore-server/protocol.js';

type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;
/** Responds to an append in the nth batch call, where n is `calls`. */
type Script = (call: BatchCall, request: BatchAppendReq, calls: number) => void;

const created = (stream: string): Append => ({
  stream,
  expected: 'no_stream',
  events: [{ id: randomUUID(), type: 'Counted', data: {}, metadata: {} }],
});
const answerTo = (request: BatchAppendReq): BatchAppendResp =>
  new streams.BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
const at = (position: string) =>
  new shared.AllStreamPosition().setCommitPosition(position).setPreparePosition(position);
const stored = (request: BatchAppendReq, position = '700'): BatchAppendResp =>
  answerTo(request).setSuccess(new streams.BatchAppendResp.Success().setCurrentRevision('0').setPosition(at(position)));

const NOTHING = new Uint8Array();

function refused(request: BatchAppendReq, type: string, details: Uint8Array = NOTHING, message = ''): BatchAppendResp {
  const any = new Any();
  any.pack(Uint8Array.from(details), type);
  return answerTo(request).setError(new rpc.Status().setMessage(message).setDetails(any));
}

const wrongVersion = (): Uint8Array =>
  new shared.WrongExpectedVersion().setCurrentStreamRevision('7').serializeBinary();
const tooLarge = (): Uint8Array => new shared.MaximumAppendSizeExceeded().setMaxappendsize(64).serializeBinary();

/** Behaves like a server whose history contains a single event from the service, at position 900. */
function readOne(call: ServerWritableStream<ReadReq, ReadResp>): void {
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(randomUUID()))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('sale-9')))
    .setCommitPosition('900')
    .setPreparePosition('900');
  record.getMetadataMap().set('type', 'Counted').set('content-type', 'application/json').set('created', '0');
  record.setData(Buffer.from('{}'));
  call.write(new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(record)));
  call.end();
}

const nameOf = (request: BatchAppendReq): string =>
  Buffer.from(request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();

/** Timeout that no call exceeds, even on a busy machine. */
const PATIENCE_MS = 15_000;

describe('The EventStoreDB adapter, given a response', () => {
  let server: Server;
  let store: EventStoreDb;
  let script: Script;
  let calls: number;
  let url: string;
  const open = (timeoutMs: number): EventStoreDb =>
    EventStoreDb.open({ url, clock: new SystemClock(), logger: silentLogger, timeoutMs });

  beforeEach(async () => {
    calls = 0;
    server = new Server();
    server.addService(StreamsService, {
      batchAppend: (call: BatchCall) => {
        calls += 1;
        const mine = calls;
        call.on('data', (request: BatchAppendReq) => {
          script(call, request, mine);
        });
        call.on('error', () => undefined);
      },
      read: readOne,
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    url = `esdb://127.0.0.1:${port}?tls=false`;
    store = open(PATIENCE_MS);
  });
  afterEach(async () => {
    await store.close();
    server.forceShutdown();
  });

  test.each([
    ['another revision', 'WrongExpectedVersion', wrongVersion(), new WrongExpectedRevision('sale-1', 'no_stream', 7)],
    ['a deleted stream', 'StreamDeleted', NOTHING, new StreamTombstoned('sale-1')],
    ['a smaller limit', 'MaximumAppendSizeExceeded', tooLarge(), new EventTooLarge('sale-1', 4, 64)],
  ])('of %s, throws the error of the port', async (_, type, details, expected) => {
    script = (call, request) => call.write(refused(request, `event_store.client.${type}`, details));
    await expect(store.append(created('sale-1'))).rejects.toEqual(expected);
  });

  test.each([
    ['that access is denied', 'event_store.client.AccessDenied', ''],
    ['that the request is bad', 'event_store.client.BadRequest', 'no such thing'],
    ['that the node is not ready', 'google.protobuf.Empty', 'Server Is Not Ready'],
  ])('%s, reports that nothing was stored', async (_, type, message) => {
    script = (call, request) => call.write(refused(request, type, NOTHING, message));
    await expect(store.append(created('sale-1'))).rejects.toBeInstanceOf(EventStoreUnavailable);
  });

  test.each([
    ['of a timeout in the server', 'event_store.client.Timeout'],
    ['that the server does not know', 'event_store.client.Unknown'],
    ['of an unknown kind', 'event_store.client.Later'],
  ])('%s, reports an unknown outcome', async (_, type) => {
    script = (call, request) => call.write(refused(request, type));
    await expect(store.append(created('sale-1'))).rejects.toBeInstanceOf(AppendOutcomeUnknown);
  });

  test('with an id sent as two numbers, finds the append', async () => {
    script = (call, request) => {
      const hex = (request.getCorrelationId()?.getString() ?? '').replaceAll('-', '');
      const half = (from: number): string => String(BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)));
      const id = new shared.UUID.Structured().setMostSignificantBits(half(0)).setLeastSignificantBits(half(16));
      call.write(stored(request).setCorrelationId(new shared.UUID().setStructured(id)));
    };
    for (const n of [1, 2, 3, 4, 5])
      expect(await store.append(created(`sale-${n}`))).toEqual({ revision: 0, position: 700 });
  });

  test('that is unexpected, duplicated or late, continues', async () => {
    script = (call, request) => {
      call.write(stored(request).setCorrelationId(new shared.UUID().setString(randomUUID())));
      call.write(stored(request));
      call.write(stored(request, '800'));
    };
    for (const n of [1, 2]) expect(await store.append(created(`sale-${n}`))).toEqual({ revision: 0, position: 700 });
  });

  test('with a hidden position, returns the head instead', async () => {
    script = (call, request) => call.write(stored(request, '18446744073709551615'));
    expect(await store.append(created('sale-1'))).toEqual({ revision: 0, position: 900 });
  });

  test('with an unsafe position, does not round it', async () => {
    script = (call, request) => call.write(stored(request, '9007199254740993'));
    await expect(store.append(created('sale-1'))).rejects.toBeInstanceOf(AppendOutcomeUnknown);
  });

  test('that never arrives on one call, repeats the append on another', async () => {
    script = (call, request, mine) => {
      if (mine > 1) call.write(stored(request));
    };
    const append = created('sale-1');
    const brief = open(1_000);
    await expect(brief.append(append)).rejects.toBeInstanceOf(AppendOutcomeUnknown);
    expect(await brief.append(append)).toEqual({ revision: 0, position: 700 });
    expect(calls).toBe(2);
    await brief.close();
  });

  test('that never arrives for one append, waits for the others', async () => {
    const late: (() => void)[] = [];
    script = (call, request) => {
      if (nameOf(request) === 'sale-slow') late.push(() => call.write(stored(request)));
    };
    const store = open(2_000);
    const lost = store.append(created('sale-lost'));
    lost.catch(() => undefined);
    await sleep(1_000);
    const slow = store.append(created('sale-slow'));
    await expect(lost).rejects.toBeInstanceOf(AppendOutcomeUnknown);
    for (const answer of late) answer();
    expect(await slow).toEqual({ revision: 0, position: 700 });
    await store.close();
  });

  test('that ends the call, does not wait for the timeout', async () => {
    script = (call) => {
      call.end();
    };
    const appends = await Promise.allSettled([1, 2, 3].map((n) => store.append(created(`sale-${n}`))));
    for (const append of appends)
      expect(append).toMatchObject({ reason: { cause: { message: 'The server ended the append call' } } });
  });

  test('that never arrives even if a later append is answered, repeats the append on the same call', async () => {
    const seen: string[] = [];
    script = (call, request) => {
      const name = nameOf(request);
      const isFirst = !seen.includes(name);
      seen.push(name);
      if (name === 'sale-skipped' && isFirst) return;
      call.write(stored(request));
    };
    const store = open(10_000);
    const skipped = store.append(created('sale-skipped'));
    await store.append(created('sale-2'));
    expect(await skipped).toEqual({ revision: 0, position: 700 });
    expect(seen).toEqual(['sale-skipped', 'sale-2', 'sale-skipped']);
    expect(calls).toBe(1);
    await store.close();
  });

  test('that arrives late for one append after another, does not repeat the waiting ones', async () => {
    const requests: BatchAppendReq[] = [];
    script = (call, request) => {
      requests.push(request);
      if (requests.length > 1) return;
      void (async () => {
        for (let n = 0; n < 8; n += 1) {
          await sleep(400);
          const next = requests[n];
          if (next) call.write(stored(next));
        }
      })();
    };
    const store = open(20_000);
    await Promise.all(Array.from({ length: 8 }, (_, n) => store.append(created(`sale-${n}`))));
    expect(requests.map(nameOf)).toEqual(Array.from({ length: 8 }, (_, n) => `sale-${n}`));
    await store.close();
  });
});
