import { randomUUID } from 'node:crypto';
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { SystemClock } from '../../../src/adapters/system-time.js';
import type { Clock } from '../../../src/ports/time.js';
import type { Access } from './access.js';
import { append, deleteStream, tombstone } from './append-service.js';
import { BatchAppendCall } from './batch-append.js';
import { type Member, toClusterInfo, toSupportedMethods } from './cluster-service.js';
import { Connections } from './connections.js';
import { wrapBytes } from './event-codec.js';
import { Faults } from './faults.js';
import { History } from './history.js';
import type { EventStoreNode } from './node.js';
import { GossipService, ServerFeaturesService, StreamsService } from './protocol.js';
import { read } from './read-service.js';
import { unavailable } from './rpc-errors.js';
import { type Like, SERVER_VERSIONS, type ServerVersion } from './server-version.js';
import { appendNoise, SystemEvents } from './system-noise.js';

const HOST = '127.0.0.1';
/** EventStoreDB's limit on the message size. It is higher than the limit on the size of an append. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

export type NodeOptions = {
  /** Version of EventStoreDB whose recorded responses the server reproduces. Default: 23.10. */
  readonly like?: Like;
  /** Port on which the server listens. Default: a free port. */
  readonly port?: number;
  /** If false, the server does not offer BatchAppend, so the client makes a separate call for each append. */
  readonly batchAppend?: boolean;
  /** Serves TLS with this certificate. Default: none. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Requires credentials. This option requires TLS, because clients send passwords only over TLS. */
  readonly access?: Access;
};

export type EventStoreServerOptions = NodeOptions & {
  /** Folder that contains the history. The server does not delete it. */
  readonly directory: string;
  readonly clock?: Clock;
  /**
   * Writes system events as a real server does: initial events in a new history, and periodic statistics. Default:
   * false.
   */
  readonly systemEvents?: boolean;
  /** Minimum delay before a flush. Appends that arrive in the meantime share the flush. Default: 2 ms. */
  readonly flushDelayMs?: number | undefined;
};

export type RawEvent = {
  readonly type: string;
  readonly data: string | Uint8Array;
  /** Media type of the data. Default: JSON. */
  readonly contentType?: string;
};

/**
 * A loopback server that implements EventStoreDB's gRPC protocol on top of the embedded engine. Does not support stream
 * ACLs, link resolution, persistent subscriptions or projections.
 */
export class EventStoreServer {
  readonly version: string;
  readonly id = randomUUID();
  readonly faults = new Faults();
  readonly #history: History;
  readonly #ownsHistory: boolean;
  readonly #batchAppend: boolean;
  readonly #connections: Connections;
  readonly #grpc = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
  #members: readonly Member[] | undefined;
  #systemEvents: SystemEvents | undefined;
  readonly #like: ServerVersion;
  readonly #access: Access | undefined;
  #sent = 0;
  /** Number of calls of each kind so far. */
  readonly asked = { append: 0, read: 0, subscription: 0 };
  #unsubscribed = 0;

  /** Number of open subscriptions. */
  get subscriptions(): number {
    return this.asked.subscription - this.#unsubscribed;
  }

  private constructor(history: History, ownsHistory: boolean, options: NodeOptions) {
    const { port = 0, batchAppend = true, like = '23.10', tls } = options;
    this.#access = options.access;
    this.#like = SERVER_VERSIONS[like];
    this.version = this.#like.number;
    this.#history = history;
    this.#ownsHistory = ownsHistory;
    this.#batchAppend = batchAppend;
    this.#addServices();
    const credentials = tls
      ? ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }])
      : ServerCredentials.createInsecure();
    const injector = this.#grpc.createConnectionInjector(credentials);
    this.#connections = new Connections(HOST, port, (socket) => {
      injector.injectConnection(socket);
    });
  }

  static async start(options: EventStoreServerOptions): Promise<EventStoreServer> {
    const { directory, clock = new SystemClock(), flushDelayMs } = options;
    const history = new History({ directory, clock }, flushDelayMs);
    try {
      const server = new EventStoreServer(history, true, options);
      if (options.systemEvents) server.#systemEvents = await SystemEvents.start(history);
      await server.#connections.open();
      return server;
    } catch (error) {
      history.close();
      throw error;
    }
  }

  /** Starts a cluster node. The owner of the history must close it after all nodes have stopped. */
  static async startNode(history: History, options: NodeOptions = {}): Promise<EventStoreServer> {
    const server = new EventStoreServer(history, false, options);
    await server.#connections.open();
    return server;
  }

  get port(): number {
    return this.#connections.port;
  }

  get url(): string {
    return `esdb://${HOST}:${this.port}?tls=false`;
  }

  /** URL for clients that discover the leader by gossip. */
  get discoveryUrl(): string {
    return `esdb+discover://${HOST}:${this.port}?tls=false`;
  }

  /** Number of read and subscription messages written to connections so far, whether or not they were received. */
  get sent(): number {
    return this.#sent;
  }

  /** Sets the members that gossip reports. Initially, the server is the leader of a one-node cluster. */
  setMembers(members: readonly Member[]): void {
    this.#members = members;
  }

  /** Appends `count` system events, as EventStoreDB does continually. */
  addNoise(count: number): Promise<void> {
    return appendNoise(this.#history.store, count);
  }

  /** Appends an event with arbitrary bytes, such as damaged JSON, that the client would not send. */
  async addBytes(stream: string, { type, data, contentType = 'application/json' }: RawEvent): Promise<void> {
    const event = { id: randomUUID(), type, data: wrapBytes(Buffer.from(data), contentType), metadata: {} };
    await this.#history.store.append({ stream, expected: 'any', events: [event] });
  }

  /** Breaks every open connection. Accepts new connections. */
  disconnectAll(): void {
    this.#connections.breakAll();
  }

  /** Breaks every connection and closes the port for `downMs`. The data remains. */
  async restart(downMs = 50): Promise<void> {
    await this.#connections.close();
    await new Promise((resolve) => setTimeout(resolve, downMs));
    await this.#connections.open();
  }

  /** Clears faults and breaks every connection. Closes the history unless the server is a cluster node. */
  async stop(): Promise<void> {
    this.faults.clear();
    await this.#systemEvents?.stop();
    await this.#connections.close();
    this.#grpc.forceShutdown();
    if (this.#ownsHistory) this.#history.close();
  }

  #addServices(): void {
    const node = this.#node();
    const streams: IStreamsServer = {
      append: (call, answer) => {
        append(node, call, answer);
      },
      batchAppend: (call) => {
        new BatchAppendCall(node, call).start();
      },
      delete: (call, answer) => {
        deleteStream(node, call, answer);
      },
      tombstone: (call, answer) => {
        tombstone(node, call, answer);
      },
      read: (call) => {
        void read(node, call);
      },
    };
    const features: IServerFeaturesServer = {
      getSupportedMethods: (_call, answer) => {
        void this.#answer(answer, () => toSupportedMethods(this.version, this.#batchAppend));
      },
    };
    const gossip: IGossipServer = {
      read: (_call, answer) => {
        void this.#answer(answer, () => toClusterInfo(this.#members ?? [this.#asLeader()]));
      },
    };
    this.#grpc.addService(StreamsService, streams);
    this.#grpc.addService(ServerFeaturesService, features);
    this.#grpc.addService(GossipService, gossip);
  }

  async #answer<T>(answer: sendUnaryData<T>, value: () => T): Promise<void> {
    await this.faults.hold();
    if (this.faults.refusing) answer(unavailable());
    else answer(null, value());
  }

  #node(): EventStoreNode {
    return {
      version: this.#like,
      access: this.#access,
      history: this.#history,
      faults: this.faults,
      leaderElsewhere: () => this.#members?.find(({ id, state }) => state === 'leader' && id !== this.id),
      noteCall: (kind) => {
        this.asked[kind] += 1;
      },
      noteUnsubscribed: () => {
        this.#unsubscribed += 1;
      },
      noteSent: () => {
        this.#sent += 1;
      },
      disconnect: (peer) => {
        this.#connections.break(peer);
      },
    };
  }

  #asLeader(): Member {
    return { id: this.id, host: HOST, port: this.port, state: 'leader', alive: true };
  }
}
