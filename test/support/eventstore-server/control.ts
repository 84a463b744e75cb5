import type { EventStoreServer } from './event-store-server.js';

type Orders = Readonly<Record<string, (server: EventStoreServer, number: number) => unknown>>;

const orders: Orders = {
  hang: ({ faults }) => {
    faults.hang();
  },
  resume: ({ faults }) => {
    faults.resume();
  },
  slow: ({ faults }, ms) => {
    faults.slow(ms);
  },
  drop: ({ faults }, count) => {
    faults.dropAfterCommit(count);
  },
  silence: ({ faults }) => {
    faults.silenceSubscriptions();
  },
  abort: ({ faults }) => {
    faults.abortSubscriptions();
  },
  refuse: ({ faults }) => {
    faults.refuse();
  },
  accept: ({ faults }) => {
    faults.accept();
  },
  clear: ({ faults }) => {
    faults.clear();
  },
  disconnect: (server) => {
    server.disconnectAll();
  },
  restart: (server, downMs) => server.restart(downMs),
  noise: (server, count) => server.addNoise(count),
};

/** Executes one command, such as `slow 50`. Resolves with `ok` or `error`, followed by the command. */
export async function tell(server: EventStoreServer, line: string): Promise<string> {
  const [name = '', number = '0'] = line.trim().split(/\s+/);
  const order = orders[name];
  if (!order || !/^\d+$/.test(number)) return `error ${line}: no such order`;
  try {
    await order(server, Number(number));
    return `ok ${line}`;
  } catch (error) {
    return `error ${line}: ${String(error)}`;
  }
}
