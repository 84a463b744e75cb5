import { SystemClock } from '../../../src/adapters/system-time.js';
import type { Clock } from '../../../src/ports/time.js';
import { EventStoreServer, type NodeOptions } from './event-store-server.js';
import { History } from './history.js';

export type EventStoreClusterOptions = Omit<NodeOptions, 'port'> & {
  readonly directory: string;
  readonly clock?: Clock;
  /** Number of nodes. Default: 3. */
  readonly size?: number;
};

/**
 * Nodes that share one history, so that every node has all stored events. The first node starts as the leader.
 */
export class EventStoreCluster {
  readonly nodes: readonly EventStoreServer[];
  readonly #history: History;
  readonly #stopped = new Set<EventStoreServer>();
  #leader: EventStoreServer | undefined;

  private constructor(history: History, nodes: readonly EventStoreServer[]) {
    this.#history = history;
    this.nodes = nodes;
    this.#leader = nodes[0];
    this.#gossip();
  }

  static async start(options: EventStoreClusterOptions): Promise<EventStoreCluster> {
    const { directory, clock = new SystemClock(), size = 3, ...nodeOptions } = options;
    const history = new History({ directory, clock });
    const nodes: EventStoreServer[] = [];
    for (let n = 0; n < size; n += 1) nodes.push(await EventStoreServer.startNode(history, nodeOptions));
    return new EventStoreCluster(history, nodes);
  }

  /** `esdb://` URL with the addresses of all nodes. The client finds the leader among them. */
  get url(): string {
    return `esdb://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`;
  }

  get leader(): EventStoreServer {
    if (!this.#leader) throw new Error('The cluster has no leader');
    return this.#leader;
  }

  /**
   * Makes a node the leader. The other nodes respond with NotLeader to calls that require a leader. Connections stay
   * open.
   */
  elect(node: EventStoreServer): void {
    this.#leader = node;
    this.#gossip();
  }

  /** Stops a node as a crash would. If it was the leader, the cluster has no leader until `elect` is called. */
  async stopNode(node: EventStoreServer): Promise<void> {
    this.#stopped.add(node);
    if (node === this.#leader) this.#leader = undefined;
    this.#gossip();
    await node.stop();
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) if (!this.#stopped.has(node)) await node.stop();
    this.#history.close();
  }

  #gossip(): void {
    const members = this.nodes.map((node) => ({
      id: node.id,
      host: '127.0.0.1',
      port: node.port,
      state: node === this.#leader ? ('leader' as const) : ('follower' as const),
      alive: !this.#stopped.has(node),
    }));
    for (const node of this.nodes) node.setMembers(members);
  }
}
