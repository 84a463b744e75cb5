// Summary of a fuzz run, derived from the output of test/fuzz/hooks.py.
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const listed = (counts) => {
  const parts = Object.entries(counts).map(([name, count]) => `${name}: ${count}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
};

/**
 * Findings that fail a run, grouped by the kinds that schemathesis distinguishes. The last row counts all kinds that no
 * other row lists.
 */
const COUNTED = [
  ['undocumented statuses', ['UndefinedStatusCode']],
  ['accepted invalid inputs', ['AcceptedNegativeData']],
  ['valid inputs rejected', ['RejectedPositiveData']],
  ['operations open without a credential', ['IgnoredAuth']],
];
const OTHERS = 'other findings: headers, bodies, media types, methods';

/** Number of responses per status, across all operations. */
function statusesOf(operations) {
  const total = {};
  for (const counts of Object.values(operations))
    for (const [status, count] of Object.entries(counts)) total[status] = (total[status] ?? 0) + count;
  return total;
}

/**
 * Names of a document's operations, in schemathesis's notation. If `only` is not empty, includes only operations on its
 * paths.
 */
export const operationsOf = ({ paths }, only) =>
  Object.entries(paths)
    .filter(([path]) => only.length === 0 || only.includes(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));

/** Returns the rows of the table, and the operations that were not reached. */
export function figuresOf(wanted, { operations, sent, admitted, findings, dropped, renewals }) {
  const missed = wanted.filter((name) => operations[name] === undefined);
  const statuses = statusesOf(operations);
  const ofClass = (first) => sum(Object.keys(statuses).map((one) => (one.startsWith(first) ? statuses[one] : 0)));
  const succeeded = Object.values(operations).filter((counts) => Object.keys(counts).some((one) => one < '300'));
  const counted = (is) => sum(findings.filter(({ kind }) => is(kind)).map(({ count }) => count));
  const named = [...COUNTED.flatMap(([, kinds]) => kinds), 'ServerError'];
  const share = ((100 * admitted) / Math.max(1, sent)).toFixed(1);
  const rows = [
    ['operations in the document', wanted.length],
    ['operations covered', wanted.length - missed.length],
    ['operations that succeeded at least once', succeeded.length],
    ['requests', sum(Object.values(statuses))],
    ['with a credential', sent],
    ['of these, not stopped by 401, 403 or 429', `${admitted} (${share}%)`],
    ['2xx, 3xx, 4xx', ['2', '3', '4'].map(ofClass).join(', ')],
    ['by status', listed(statuses)],
    ['signed in again', listed(renewals)],
    ['not counted, and why (test/fuzz/noise.py)', listed(dropped)],
    ['5xx', ofClass('5')],
    ...COUNTED.map(([what, kinds]) => [what, counted((kind) => kinds.includes(kind))]),
    [OTHERS, counted((kind) => !named.includes(kind))],
  ];
  return { missed, rows, serverErrors: ofClass('5') };
}

const cell = (text) => String(text).replaceAll('|', '\\|');
export const tableOf = (rows) =>
  `| figure | value |\n| --- | --- |\n${rows.map((row) => `| ${row.map(cell).join(' | ')} |\n`).join('')}`;
