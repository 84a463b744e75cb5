import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, type ServiceError } from '@grpc/grpc-js';
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { fromUuid } from '../support/eventstore-server/event-codec.js';
import { shared, streams, StreamsClient } from '../support/eventstore-server/protocol.js';

let server: EventStoreServer;
let client: InstanceType<typeof StreamsClient>;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-protocol-'));
  server = await EventStoreServer.start({ directory });
  client = new StreamsClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
});
afterEach(async () => {
  client.close();
  await server.stop();
  await rm(directory, { recursive: true });
});

const { Options } = streams.ReadReq;
const identifier = (stream: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(stream));

function proposed(type: string, id: string, properties: Readonly<Record<string, string>>, data = '{}'): AppendReq {
  const message = new streams.AppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(Buffer.from(data));
  for (const [key, value] of Object.entries({ type, ...properties })) message.getMetadataMap().set(key, value);
  return new streams.AppendReq().setProposedMessage(message);
}

const JSON_EVENT = { 'content-type': 'application/json' };

function append(stream: string, ...messages: AppendReq[]): Promise<AppendResp> {
  return new Promise((resolve, reject) => {
    const call = client.append((error, response) => {
      if (error) reject(error);
      else resolve(response);
    });
    const options = new streams.AppendReq.Options().setStreamIdentifier(identifier(stream)).setAny(new shared.Empty());
    call.write(new streams.AppendReq().setOptions(options));
    for (const message of messages) call.write(message);
    call.end();
  });
}

/** Reads and returns all response messages. */
async function read(options: ReadReq.Options): Promise<ReadResp[]> {
  const answers: ReadResp[] = [];
  for await (const answer of client.read(new streams.ReadReq().setOptions(options))) answers.push(answer as ReadResp);
  return answers;
}

const ofStream = (stream: string) =>
  new Options()
    .setStream(new Options.StreamOptions().setStreamIdentifier(identifier(stream)).setStart(new shared.Empty()))
    .setNoFilter(new shared.Empty())
    .setCount('100');

const typesOf = (answers: readonly ReadResp[]): unknown[] =>
  answers.map((answer) => answer.getEvent()?.getEvent()?.getMetadataMap().get('type'));

describe('Requests that the official client does not send to the EventStoreDB test server', () => {
  test('events without a content type are rejected without being stored', async () => {
    const refused: unknown = await append('s', proposed('A', randomUUID(), {})).catch((error: unknown) => error);
    expect((refused as ServiceError).metadata.getMap()).toMatchObject({
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    });
    const [answer] = await read(ofStream('s'));
    expect(answer?.hasStreamNotFound()).toBe(true);
  });

  test('ids are returned in halves to readers that request them', async () => {
    const id = 'f81d4fae-7dec-41d0-a765-80a0c91e6bf6';
    await append('s', proposed('A', id, JSON_EVENT));
    const structured = new Options.UUIDOption().setStructured(new shared.Empty());
    const [answer] = await read(ofStream('s').setUuidOption(structured));
    const uuid = answer?.getEvent()?.getEvent()?.getId();
    expect(uuid?.hasStructured()).toBe(true);
    expect(fromUuid(uuid)).toBe(id);
  });

  test.each(['{ "a": 1.0 }', '{"a":1,"a":2}', '{"a":', '[', 'null', ''])(
    'the data %j is returned as sent',
    async (data) => {
      await append('s', proposed('A', randomUUID(), JSON_EVENT, data));
      const [answer] = await read(ofStream('s'));
      const event = answer?.getEvent()?.getEvent();
      expect(Buffer.from(event?.getData_asU8() ?? []).toString()).toBe(data);
      expect(event?.getMetadataMap().get('content-type')).toBe('application/json');
    },
  );

  test('reads of $all can be filtered and count their events', async () => {
    const ids = ['A', 'B', 'A', 'A', 'B'].map((type) => proposed(type, randomUUID(), JSON_EVENT));
    await append('s', ...ids);
    const expression = new Options.FilterOptions.Expression().setPrefixList(['B', 'C']);
    const filter = new Options.FilterOptions().setEventType(expression).setMax(32).setCheckpointintervalmultiplier(1);
    const all = new Options().setAll(new Options.AllOptions().setStart(new shared.Empty())).setFilter(filter);
    expect(typesOf(await read(all.setCount('100')))).toEqual(['B', 'B']);
    expect(typesOf(await read(all.setCount('1')))).toEqual(['B']);
  });

  test('newer readers get the last revision of a stream after its events', async () => {
    await append('s', proposed('A', randomUUID(), JSON_EVENT), proposed('B', randomUUID(), JSON_EVENT));
    const newer = new Options.ControlOption().setCompatibility(1);
    const answers = await read(ofStream('s').setControlOption(newer));
    expect(typesOf(answers)).toEqual(['A', 'B', undefined]);
    expect(answers.at(-1)?.getLastStreamPosition()).toBe('1');
  });

  test('reads of neither a stream nor $all are rejected', async () => {
    await expect(read(new Options().setCount('1'))).rejects.toMatchObject({ code: 3 });
  });
});
