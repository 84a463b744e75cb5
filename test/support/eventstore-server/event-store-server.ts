import { randomUUID } from 'node:crypto';
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { SystemClock } from '../../../src/adapters/system-time.js';
import type { Clock } from '../../../src/ports/time.js';
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
import { appendNoise } from './system-noise.js';

/** The EventStoreDB whose recorded answers this server gives. */
export const VERSION = '23.10.6';
const HOST = '127.0.0.1';
/** As in EventStoreDB, where an event may be larger than one append by gRPC. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

export type NodeOptions = {
  /** A free one where it is left out. */
  readonly port?: number;
  /** False: as a server too old for BatchAppend, so that the client appends in calls of their own. */
  readonly batchAppend?: boolean;
};

export type EventStoreServerOptions = NodeOptions & {
  /** Holds the history; kept when the server stops. */
  readonly directory: string;
  readonly clock?: Clock;
};

export type RawEvent = {
  readonly type: string;
  readonly data: string | Uint8Array;
  /** Default: JSON. */
  readonly contentType?: string;
};

/**
 * Speaks EventStoreDB's gRPC protocol over the embedded engine, on the loopback interface, without TLS.
 * Not there: users and access rights, resolving of links, persistent subscriptions, projections.
 */
export class EventStoreServer {
  readonly version = VERSION;
  readonly id = randomUUID();
  readonly faults = new Faults();
  readonly #history: History;
  readonly #ownsHistory: boolean;
  readonly #batchAppend: boolean;
  readonly #connections: Connections;
  readonly #grpc = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
  #members: readonly Member[] | undefined;
  #sent = 0;

  private constructor(history: History, ownsHistory: boolean, { port = 0, batchAppend = true }: NodeOptions) {
    this.#history = history;
    this.#ownsHistory = ownsHistory;
    this.#batchAppend = batchAppend;
    this.#addServices();
    const injector = this.#grpc.createConnectionInjector(ServerCredentials.createInsecure());
    this.#connections = new Connections(HOST, port, (socket) => {
      injector.injectConnection(socket);
    });
  }

  static async start(options: EventStoreServerOptions): Promise<EventStoreServer> {
    const { directory, clock = new SystemClock() } = options;
    const history = new History({ directory, clock });
    try {
      const server = new EventStoreServer(history, true, options);
      await server.#connections.open();
      return server;
    } catch (error) {
      await history.close();
      throw error;
    }
  }

  /** A node of a cluster: whoever opened the history closes it, when all nodes have stopped. */
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

  /** For clients that find the leader by gossip. */
  get discoveryUrl(): string {
    return `esdb+discover://${HOST}:${this.port}?tls=false`;
  }

  /** Answers to reads and subscriptions that have been handed to their connections so far, taken by the reader or not. */
  get sent(): number {
    return this.#sent;
  }

  /** What gossip tells from now on. Until it is called, the server is a cluster of its own and leads it. */
  setMembers(members: readonly Member[]): void {
    this.#members = members;
  }

  /** Stores `count` events of the system's own, as EventStoreDB does by itself all the time. */
  addNoise(count: number): Promise<void> {
    return appendNoise(this.#history.store, count);
  }

  /** Stores an event of any bytes, such as damaged JSON, which the client would not send. */
  async addBytes(stream: string, { type, data, contentType = 'application/json' }: RawEvent): Promise<void> {
    const event = { id: randomUUID(), type, data: wrapBytes(Buffer.from(data), contentType), metadata: {} };
    await this.#history.store.append({ stream, expected: 'any', events: [event] });
  }

  /** Breaks every open connection; new ones are taken. */
  disconnectAll(): void {
    this.#connections.breakAll();
  }

  /** Breaks every connection and closes the port for `downMs`. The data stays. */
  async restart(downMs = 50): Promise<void> {
    await this.#connections.close();
    await new Promise((resolve) => setTimeout(resolve, downMs));
    await this.#connections.open();
  }

  /** Ends faults, breaks every connection and closes the history. */
  async stop(): Promise<void> {
    this.faults.clear();
    await this.#connections.close();
    this.#grpc.forceShutdown();
    if (this.#ownsHistory) await this.#history.close();
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
        void this.#answer(answer, () => toSupportedMethods(VERSION, this.#batchAppend));
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
      history: this.#history,
      faults: this.faults,
      leaderElsewhere: () => this.#members?.find(({ id, state }) => state === 'leader' && id !== this.id),
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
