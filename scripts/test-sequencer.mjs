// Order of the suites. Without the times of an earlier run, as on a clean checkout, Jest starts with the largest files.
// A long suite in a small file would then begin last, and run alone at the end.
import Sequencer from '@jest/test-sequencer';

/** The longest suites of `npm run test:real` and `npm run test:console`, longest first. */
const LONGEST = [
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
