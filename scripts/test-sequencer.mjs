// Order of the suites. Without the times of an earlier run, as on a clean checkout, Jest starts with the largest files.
// A long suite in a small file would then begin last, and run alone at the end.
import Sequencer from '@jest/test-sequencer';

/**
 * The longest suites of `npm test`, `npm run test:real` and `npm run test:console`, longest first. Suites that start
 * processes alternate with suites that do not, so that they run beside each other.
 */
const LONGEST = [
  ...['e2e/ten-thousand-sales', 'e2e/backup', 'projections/folding', 'e2e/start', 'http/sign-in-floods'],
  ...['e2e/healing', 'http/isolation'],
  ...['e2e/damaged-models', 'http/closing-race', 'e2e/dead-letter-bulk', 'http/healing', 'http/access-matrix'],
  ...['http/transaction-filters.property', 'app/service-on-eventstoredb', 'e2e/twins', 'http/accounting.property'],
  'http/financial-reports.property',
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
