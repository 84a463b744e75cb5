import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mongoRecipeWith } from '../test/support/mongo-server/recipe.js';
import { natsRecipe } from '../test/support/nats-server.js';
import { redisRecipe } from '../test/support/redis-server.js';
import { ServerProcess } from '../test/support/server-process.js';
import { end, pin, start } from './processes.js';

/** Number of calls to the event store. */
export type Calls = { readonly append: number; readonly read: number; readonly subscription: number };
/** `open`: number of open subscriptions. */
export type Counts = Calls & { readonly open: number };

const HOST = new URL('./event-store-host.ts', import.meta.url).pathname;
const LOADER = new URL('../test/support/typescript.mjs', import.meta.url).pathname;

/** The EventStoreDB test server, on the load generator's core. Counts the calls that it receives. */
export class CountedEventStore {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    readonly url: string,
  ) {}

  /** Starts the server on the history in a folder, or on an empty history. */
  static async start(directory?: string): Promise<CountedEventStore> {
    const command = [process.execPath, '--import', LOADER, HOST, ...(directory === undefined ? [] : [directory])];
    const child = start('load', command, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (!child.stdout) throw new Error('No output');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return new CountedEventStore(child, lines, String((await lines.next()).value));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async calls(): Promise<Counts> {
    this.child.stdin?.write('calls\n');
    return JSON.parse(String((await this.lines.next()).value)) as Counts;
  }

  stop(): Promise<void> {
    return end(this.child);
  }
}

/**
 * One instance of each server that replicas share, on the load generator's core. The replacement for MongoDB keeps its
 * data in memory, because storing the data in a file would use most of that core.
 */
export class SharedServers {
  private constructor(
    readonly events: CountedEventStore,
    private readonly others: readonly ServerProcess[],
    readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<SharedServers> {
    const events = await CountedEventStore.start();
    const others = await Promise.all(
      [mongoRecipeWith(['-DinMemory=true']), natsRecipe, redisRecipe].map(async (recipe) => {
        const server = await ServerProcess.start(recipe);
        pin('load', server.pid);
        return server;
      }),
    );
    const [mongo, nats, redis] = others.map(({ url }) => url);
    const urls = { MONGODB_URL: mongo ?? '', NATS_URL: nats ?? '', REDIS_URL: redis ?? '' };
    return new SharedServers(events, others, { EVENTSTORE_URL: events.url, ...urls });
  }

  /** Process ids of all servers. */
  get pids(): readonly number[] {
    return [this.events, ...this.others].flatMap(({ pid }) => pid ?? []);
  }

  /** Folder with the NATS files. */
  get natsDirectory(): string {
    return this.others[1]?.directory ?? '';
  }

  async stop(): Promise<void> {
    await Promise.all([this.events.stop(), ...this.others.map((server) => server.dispose())]);
  }
}
