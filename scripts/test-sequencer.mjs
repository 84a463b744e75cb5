// Determines the order of the suites. Without the times of an earlier run, as on a clean checkout, Jest starts with the
// largest files. A long suite in a small file would then start last, and run alone at the end.
import Sequencer from '@jest/test-sequencer';

/**
 * The longest suites of `npm test`, `npm run test:real` and `npm run test:console`, longest first. Suites that start
 * processes alternate with suites that do not, so that the two kinds run concurrently.
 */
const LONGEST = [
  ...['e2e/ten-thousand-sales', 'e2e/backup', 'e2e/start', 'adapters/eventstore-server.versions'],
  ...['projections/folding', 'http/sign-in-floods', 'http/witness', 'e2e/healing', 'adapters/eventstoredb-faults'],
  ...['http/isolation', 'e2e/damaged-models', 'http/closing-race', 'e2e/dead-letter-bulk', 'http/healing'],
  ...['adapters/eventstoredb-answers', 'http/access-matrix', 'http/transaction-filters.property'],
  ...[
    'integrity/verify-command',
    'app/service-on-eventstoredb',
    'e2e/twins',
    'http/web-push',
    'http/accounting.property',
  ],
  ...['http/error-logs', 'http/sale-batches', 'http/financial-reports.property', 'integration/webhooks'],
  ...['real/replicas', 'real/engine-faults', 'real/jobs', 'real/mongodb'],
  ...['console/walk-books', 'console/walk-operations', 'console/walk-settings', 'console/mishaps', 'console/visiting'],
].map((suite) => `/test/${suite}.test.ts`);

function rankOf({ path }) {
  const at = LONGEST.findIndex((suite) => path.replaceAll('\\', '/').endsWith(suite));
  return at < 0 ? LONGEST.length : at;
}

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
