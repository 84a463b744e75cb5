// Runs the compiled service and, on command, measures appends made by its own process. `measure SECONDS` prints two
// figures as JSON: the time from a durable append until all read models contain the event, and the duration of
// event-loop turns during that time.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { host } from './service-host.mjs';

/**
 * Number of unmeasured appends between two measured appends. The unmeasured appends are necessary because a wait for a
 * position causes the subscriber thread to report its progress.
 */
const SKIPPED = 19;
const WAITS_MS = 60_000;

const visible = [];
let isMeasuring = false;
let appends = 0;

const { service } = await host(({ events, progress }) => {
  const append = events.append.bind(events);
  events.append = async (what) => {
    const appended = await append(what);
    appends += 1;
    if (!isMeasuring || appends % (SKIPPED + 1) !== 0) return appended;
    const durableMs = performance.now();
    void progress.reached(appended.position, WAITS_MS).then((has) => {
      visible.push(has ? performance.now() - durableMs : WAITS_MS);
    });
    return appended;
  };
});

async function turnsFor(seconds) {
  const turns = [];
  const endsMs = performance.now() + seconds * 1_000;
  while (performance.now() < endsMs) {
    const beganMs = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(performance.now() - beganMs);
    // Pauses, because the event-loop turns measured here would otherwise keep the thread busy.
    await sleep(10);
  }
  return turns;
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'end') break;
  isMeasuring = true;
  const turns = await turnsFor(Number(line.split(' ')[1]));
  isMeasuring = false;
  await sleep(1_000);
  console.log(JSON.stringify({ visible, turns }));
  visible.length = 0;
}
await service.close();
process.exit(0);
