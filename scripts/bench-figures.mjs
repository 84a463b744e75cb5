// Figures of `npm run bench` in execution order: title, benchmark program, and further requirements besides the
// service. `growth`: the figure is also measured at the sizes given by --events. `peer`: the figure is compared with
// the peer if the peer can run on this machine. `beside`: the figure has no goal, and runs only if --only lists it.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './checkout.mjs';
import { hasMongoServer, onPath } from './programs.mjs';

const nats = () => (onPath('nats-server') ? undefined : 'nats-server');
const redis = () => (onPath('redis-server') ? undefined : 'redis-server');
const mongo = () =>
  process.env.MONGODB_URL || hasMongoServer() ? undefined : 'MONGODB_URL, or java and .ci/mongo-server.sh';
const servers = () => nats() ?? redis() ?? mongo();
const chromium = () => (existsSync(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium') ? undefined : 'Chromium');
const nothing = () => undefined;

export const figures = [
  { ids: ['B1', 'B2'], what: 'sales accepted', program: 'intake', lacks: nothing, growth: true, peer: true },
  { ids: ['B1b'], what: 'sales sustained', program: 'sustained', lacks: nothing, peer: true },
  { ids: ['B1c', 'B1d', 'B1e'], what: 'cost of a burst of sales', program: 'burst', lacks: nothing },
  { ids: ['B3'], what: 'reads over HTTP', program: 'requests', lacks: nothing, growth: true },
  { ids: ['B4'], what: 'rebuild', program: 'rebuild', lacks: nothing, peer: true },
  { ids: ['B4'], what: 'rebuild on MongoDB', program: 'rebuild-mongodb', lacks: mongo },
  { ids: ['B5'], what: 'append to visible', program: 'visibility', lacks: nothing },
  { ids: ['B6'], what: 'lists and search', program: 'reads', lacks: nothing, growth: true },
  { ids: ['B7'], what: 'cold start', program: 'start', lacks: nothing, growth: true },
  { ids: ['B8'], what: 'memory', program: 'memory', lacks: nothing },
  { ids: ['B9'], what: 'rules', program: 'rules', lacks: nothing },
  { ids: ['B10'], what: 'forwarder to NATS', program: 'forwarder', lacks: nats },
  { ids: ['B11'], what: 'rate-limit check', program: 'rate-limit', lacks: redis },
  { ids: ['B12'], what: 'appends to EventStoreDB', program: 'eventstore', lacks: nothing },
  { ids: ['B13'], what: 'webhook deliveries', program: 'webhooks', lacks: nothing },
  { ids: ['B14'], what: 'integrity', program: 'integrity', lacks: nothing },
  { ids: ['B15', 'B16'], what: 'sales on EventStoreDB', program: 'servers', lacks: nothing },
  { ids: ['B17'], what: 'replicas on servers', program: 'replicas', lacks: servers },
  { ids: ['B18'], what: 'rebuild from EventStoreDB', program: 'rebuild-eventstore', lacks: nothing },
  { ids: ['batches'], what: 'sales in batches', program: 'batches', lacks: nothing, beside: true },
  { ids: ['reports'], what: 'reports', program: 'reports', lacks: nothing, beside: true },
  { ids: ['backup'], what: 'backup and restore', program: 'backup', lacks: nothing, growth: true, beside: true },
  { ids: ['moving'], what: 'moving between engines', program: 'moving', lacks: servers, growth: true, beside: true },
  { ids: ['storage'], what: 'storage on servers', program: 'storage', lacks: servers, beside: true },
  {
    ids: ['notifications'],
    what: 'notifications',
    program: 'notifications',
    lacks: nothing,
    growth: true,
    beside: true,
  },
  { ids: ['bulk'], what: 'bulk replay and rewind', program: 'bulk', lacks: nothing, beside: true },
  { ids: ['receivers'], what: 'failing receivers', program: 'receivers', lacks: nothing, beside: true },
  { ids: ['console'], what: 'console with many transactions', program: 'console', lacks: chromium, beside: true },
  { ids: ['audit'], what: 'audit entries', program: 'audit', lacks: nothing, beside: true },
];

const PEER = join(root, 'bench', 'peer');
const POSTGRES = process.env.BENCH_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';

/** Installs the peer if necessary. Returns undefined if the peer can run, and otherwise the reason why it cannot. */
export async function peerLacks() {
  if (!existsSync(join(POSTGRES, 'initdb'))) return 'needs PostgreSQL 15 (apt-get install postgresql)';
  const installed = join(PEER, 'node_modules', '.package-lock.json');
  const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : -Infinity);
  if (changedAt(installed) >= changedAt(join(PEER, 'package-lock.json'))) return undefined;
  console.error('Installing the peer ...');
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: PEER, stdio: 'ignore' });
  return code === 0 ? undefined : 'requires packages that could not be installed';
}
