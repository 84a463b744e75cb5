// A child process that publishes to an embedded broker, for tests that kill it or exhaust its disk.
import { execFileSync } from 'node:child_process';
import { EmbeddedBroker } from '../../src/adapters/embedded/broker.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { BrokerUnavailable } from '../../src/ports/broker.js';
import { messagesIn } from './stored-messages.js';

const [mode, directory, run] = process.argv.slice(2) as [string, string, string];
const broker = await EmbeddedBroker.open({ directory, clock: new SystemClock(), keptMessages: 1_000_000 });
const say = (line: string): void => {
  // A write to a pipe is synchronous, so it waits while the pipe is full.
  process.stdout.write(`${line}\n`);
};
const publish = (id: string): Promise<unknown> =>
  broker.publish({ id, subject: 'kontor.process', payload: id.repeat(50) });

/** Runs eight publishers until the process is killed. Each reports its acknowledged messages. */
async function publishUntilKilled(): Promise<void> {
  const publisher = async (name: number): Promise<void> => {
    for (let count = 0; ; count++) {
      const id = `${run}-${name}-${count}`;
      await publish(id);
      say(id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, name) => publisher(name)));
}

/**
 * Publishes until the file-size limit is reached, lifts the limit, and republishes the rejected message.
 */
async function publishUnderLimit(): Promise<void> {
  for (let count = 0; ; count++) {
    const id = `${run}-${count}`;
    try {
      await publish(id);
      say(`acked ${id}`);
    } catch (error) {
      say(`refused ${id} ${error instanceof BrokerUnavailable ? 'BrokerUnavailable' : String(error)}`);
      const readable = messagesIn(directory);
      say(`readable ${readable.length}`);
      execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);
      await publish(id);
      say(`acked ${id}`);
      break;
    }
  }
  await broker.close();
}

await (mode === 'until-killed' ? publishUntilKilled() : publishUnderLimit());
