// Rows of the fault matrix. Each row contains a fault, and the suites that verify the guarantees despite this fault. If
// all suites of a row are in other folders, the commands for those folders cover the row. The soak test nevertheless
// runs these suites again. `needs` names the required programs. `measures`: the row compares times or memory with a
// limit, and therefore runs alone. The longest rows come first, because rows start in this order, two at a time.
const SERVERS = ['mongo-server', 'nats-server', 'redis-server'];

export const rows = [
  {
    row: 'kill',
    fault: 'kill -9 at random moments under load',
    suites: ['test/reliability/kill.test.ts', 'test/reliability/killed-batches.test.ts'],
  },
  {
    row: 'engine-lines',
    fault: 'connections to EventStoreDB, MongoDB, NATS and Redis: reset, cut mid-frame, slow (TCP proxy)',
    suites: ['test/reliability/engine-lines.test.ts'],
    needs: SERVERS,
  },
  {
    row: 'crash-points',
    fault:
      'crash between each pair of steps: claim, sale append, booking, read-model write, checkpoint, publish, lease',
    suites: ['test/reliability/crash-points.test.ts'],
  },
  {
    row: 'flush-order',
    fault: 'order of flush and response',
    suites: ['test/reliability/flush-order.test.ts'],
    needs: ['strace'],
  },
  {
    row: 'disk',
    fault: 'full disk and failing writes',
    suites: ['test/reliability/disk.test.ts', 'test/reliability/unwritable-directory.test.ts'],
    needs: ['prlimit'],
  },
  {
    row: 'flipped-byte',
    fault: 'flipped byte in an event record',
    suites: ['test/reliability/flipped-byte.test.ts'],
  },
  {
    row: 'histories',
    fault: 'read models with a different, older or missing history; damaged read models',
    suites: ['test/http/other-history.test.ts', 'test/e2e/damaged-models.test.ts'],
  },
  {
    row: 'idempotency',
    fault: '50 concurrent requests with one Idempotency-Key; a different payload; after a restart; after 24 h',
    suites: ['test/http/intake-idempotency.test.ts'],
  },
  {
    row: 'two-writers',
    fault: 'two concurrent writers on one stream',
    suites: ['test/reliability/two-writers.test.ts', 'test/eventsourcing/command-runner.test.ts'],
  },
  {
    row: 'deliveries',
    fault: 'duplicated, reordered and delayed delivery; two concurrent leaders',
    suites: [
      'test/projections/folding.test.ts',
      'test/projections/rebuild.test.ts',
      'test/projecting/projector.test.ts',
      'test/projecting/windowed-subscriber.test.ts',
    ],
  },
  {
    row: 'poison',
    fault: 'poison event, unknown event type, throwing handler',
    suites: ['test/http/dead-letters.test.ts', 'test/projecting/projection-runner.test.ts'],
  },
  {
    row: 'engines-away',
    fault: 'EventStoreDB, MongoDB, NATS and Redis: killed and restarted, hung (SIGSTOP)',
    suites: ['test/real/engine-faults.test.ts'],
    needs: SERVERS,
  },
  {
    row: 'lost-answers',
    fault: 'append whose response is lost with the connection',
    suites: ['test/adapters/eventstoredb-faults.test.ts'],
  },
  {
    row: 'lost-messages',
    fault: 'NATS loses acknowledged messages',
    suites: ['test/real/forwarding.test.ts'],
    needs: ['nats-server'],
  },
  {
    row: 'clock',
    fault: 'clock jumps of an hour, DST, leap day',
    suites: [
      'test/reliability/clock.test.ts',
      'test/projecting/leadership.test.ts',
      'test/jobs/job-scheduler.test.ts',
      'test/aggregates/calendar.test.ts',
    ],
  },
  {
    row: 'overload',
    fault: '5 × overload; one noisy tenant',
    suites: ['test/reliability/overload.test.ts'],
    measures: true,
  },
  {
    row: 'silent-watchers',
    fault: '1,000 SSE clients that never read',
    suites: ['test/reliability/silent-watchers.test.ts'],
    needs: ['python3'],
    measures: true,
  },
  {
    row: 'old-events',
    fault: 'stored events of every schema version',
    suites: ['test/reliability/old-events.test.ts', 'test/eventsourcing/record-reader.test.ts'],
  },
  {
    row: 'replicas',
    fault: 'two replicas, one of them killed',
    suites: ['test/real/replicas.test.ts'],
    needs: SERVERS,
  },
  {
    row: 'ranges',
    fault: 'a replica killed, hung or added under load, with the tenants divided among four',
    suites: ['test/real/ranges.test.ts'],
    needs: SERVERS,
  },
];
