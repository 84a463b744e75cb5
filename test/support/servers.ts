import { eventStoreRecipe } from './eventstore-server/recipe.js';
import { mongoRecipe } from './mongo-server/recipe.js';
import { natsRecipe } from './nats-server.js';
import { redisRecipe } from './redis-server.js';
import { ServerProcess } from './server-process.js';

/** One instance of each server that replicas share. Each runs as a child process of the test. */
export class Servers {
  private constructor(
    readonly eventStore: ServerProcess,
    readonly mongo: ServerProcess,
    readonly nats: ServerProcess,
    readonly redis: ServerProcess,
  ) {}

  /** Starts the servers and prints their versions. */
  static async start(): Promise<Servers> {
    const recipes = [eventStoreRecipe, mongoRecipe, natsRecipe, redisRecipe];
    const started = await Promise.allSettled(recipes.map((recipe) => ServerProcess.start(recipe)));
    const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const [eventStore, mongo, nats, redis] = running;
    if (!eventStore || !mongo || !nats || !redis) {
      await Promise.all(running.map((server) => server.dispose()));
      throw new AggregateError(started.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])));
    }
    process.stderr.write(
      `servers: ${running.map((server, n) => `${recipes[n]?.name} ${server.version}`).join(', ')}\n`,
    );
    return new Servers(eventStore, mongo, nats, redis);
  }

  /** Settings for the service's environment. */
  get settings(): Record<string, string> {
    return {
      EVENTSTORE_URL: this.eventStore.url,
      MONGODB_URL: this.mongo.url,
      NATS_URL: this.nats.url,
      REDIS_URL: this.redis.url,
    };
  }

  async dispose(): Promise<void> {
    await Promise.all([this.eventStore, this.mongo, this.nats, this.redis].map((server) => server.dispose()));
  }
}
