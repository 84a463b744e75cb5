// npm run test:real: runs the suites of test/real/ against the servers whose URLs are set (after `docker compose up
// -d`). For other servers, the suites start server processes if the programs are installed. Suites that cannot run are
// listed with a reason. With REQUIRE_SERVERS=true, as in CI, such suites fail the run. Arguments are passed to Jest.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checkout.mjs';
import { jest, prepare } from './jest.mjs';
import { hasBeancount, hasMongoServer, onPath } from './programs.mjs';

const servers = {
  mongodb: {
    url: 'MONGODB_URL',
    isHere: hasMongoServer(),
    lacks: 'java is missing, or .ci/mongo-server.sh was not run',
  },
  nats: { url: 'NATS_URL', isHere: onPath('nats-server'), lacks: 'nats-server is not on the path' },
  beancount: { url: 'BEANCOUNT_HOME', isHere: hasBeancount(), lacks: '.ci/beancount.sh was not run' },
  go: { url: 'PATH', isHere: onPath('go'), lacks: 'go is not on the path' },
  redis: { url: 'REDIS_URL', isHere: onPath('redis-server'), lacks: 'redis-server is not on the path' },
};

const SERVERS = ['mongodb', 'nats', 'redis'];

/** `own`: the suite kills server processes. It therefore always starts its own servers, even if a URL is set. */
const suites = [
  { path: 'test/real/eventstoredb.test.ts', needs: [] },
  ...SERVERS.map((name) => ({ path: `test/real/${name}.test.ts`, needs: [name] })),
  { path: 'test/real/beancount.test.ts', needs: ['beancount'], own: true },
  { path: 'test/real/tlog.test.ts', needs: ['go'], own: true },
  { path: 'test/real/nats-security.test.ts', needs: ['nats'], own: true },
  { path: 'test/real/forwarding.test.ts', needs: ['nats'], own: true },
  { path: 'test/real/rate-limit.test.ts', needs: ['redis'], own: true },
  { path: 'test/real/cache-administration.test.ts', needs: ['redis'], own: true },
  { path: 'test/real/other-history.test.ts', needs: ['mongodb'], own: true },
  { path: 'test/real/reports.property.test.ts', needs: ['mongodb'], own: true },
  ...[
    'replicas',
    'rolling-change',
    'revocation',
    'jobs',
    'engine-faults',
    'operations',
    'closing-race',
    'ranges',
    'suspended-leader',
    'suspended-policy',
    'integrity',
  ].map((name) => ({
    path: `test/real/${name}.test.ts`,
    needs: SERVERS,
    own: true,
  })),
];

const unlisted = readdirSync(join(root, 'test/real'))
  .map((name) => `test/real/${name}`)
  .filter((path) => path.endsWith('.test.ts') && !suites.some((suite) => suite.path === path));
if (unlisted.length > 0) throw new Error(`These suites are not listed: ${unlisted.join(', ')}`);

/** The reason why a suite cannot run. Undefined if the suite can run. */
function obstacle({ needs, own = false }) {
  const missing = needs.map((name) => servers[name]).find(({ url, isHere }) => !isHere && (own || !process.env[url]));
  return missing && (own ? missing.lacks : `${missing.url} is not set, and ${missing.lacks}`);
}

await prepare();
const runnable = suites.filter((suite) => obstacle(suite) === undefined);
const rest = suites.filter((suite) => !runnable.includes(suite));
for (const suite of rest) console.error(`${suite.path} does not run here: ${obstacle(suite)}.`);
if (rest.length > 0 && process.env.REQUIRE_SERVERS === 'true') process.exitCode = 1;
else {
  const chosen = process.argv.slice(2);
  // A suite starts up to seven processes.
  const all = ['--maxWorkers=2', ...runnable.map(({ path }) => path)];
  process.exitCode = await jest(...(chosen.length > 0 ? chosen : all));
}
