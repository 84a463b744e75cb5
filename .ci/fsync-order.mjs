// Checks an strace log of test/support/fsync-probe.mjs: every acknowledgement must follow its flush.
//
//   node fsync-order.mjs <trace> <count>
//
// Exit code 0: each acknowledgement followed a completed flush of everything in the write-ahead log at that time,
// including the event itself. 10: at least one did not. Others: the trace is incomplete or unreadable.
import { readFileSync } from 'node:fs';

const [tracePath, count] = process.argv.slice(2);

const LINE = /^(\d+)\s+[\d:.]+\s+(.*)$/;
const CALL = /^(\w+)\((\d+)<([^>]*)>(.*)$/;
const RESUMED = /^<\.\.\. (\w+) resumed>/;
const RESULT = /\)\s+= (-?\d+)/;
const WRITES = new Set(['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2']);
const FLUSHES = new Set(['fsync', 'fdatasync']);

/** Calls that started on one line and finish on another, by thread. */
const underWay = new Map();
/** Completed writes to the write-ahead log are numbered; marker → number of the first write that contained it. */
const carriedBy = new Map();
let lastWrite = 0;
let writesUnderWay = 0;
/** Number of the last write known to be on disk. */
let flushedTo = 0;
let flushes = 0;
let acks = 0;
const violations = [];

function begin(name, path, rest) {
  const onLog = path.endsWith('-wal');
  if (WRITES.has(name) && onLog) {
    writesUnderWay += 1;
    return { kind: 'write', markers: rest.match(/fsync-probe-\d{4}/g) ?? [] };
  }
  if (FLUSHES.has(name) && onLog) return { kind: 'flush', covers: lastWrite };
  const ack = WRITES.has(name) ? /^, "ACK (\d+)\\n"/.exec(rest) : null;
  if (ack) acknowledged(Number(ack[1]));
  return undefined;
}

function end(call, result) {
  if (call.kind === 'write') {
    writesUnderWay -= 1;
    lastWrite += 1;
    for (const marker of call.markers) if (!carriedBy.has(marker)) carriedBy.set(marker, lastWrite);
  } else if (result === 0) {
    flushes += 1;
    flushedTo = Math.max(flushedTo, call.covers);
  }
}

/** Checked when the write of the acknowledgement starts: a flush that has not completed by then is too late. */
function acknowledged(n) {
  acks += 1;
  if (n !== acks) violations.push(`ACK ${n} came as number ${acks}`);
  const written = carriedBy.get(`fsync-probe-${String(n).padStart(4, '0')}`);
  if (written === undefined) violations.push(`ACK ${n}: no completed write to the log carries it`);
  else if (written > flushedTo)
    violations.push(`ACK ${n}: its write ${written} is not flushed (flushed: ${flushedTo})`);
  else if (lastWrite > flushedTo || writesUnderWay > 0)
    violations.push(`ACK ${n}: write ${lastWrite} of the log is not flushed (flushed: ${flushedTo})`);
}

for (const line of readFileSync(tracePath, 'latin1').split('\n')) {
  const [, thread, text] = LINE.exec(line) ?? [];
  if (text === undefined) continue;
  if (RESUMED.test(text)) {
    const call = underWay.get(thread);
    underWay.delete(thread);
    if (call) end(call, Number(RESULT.exec(text)?.[1] ?? -1));
    continue;
  }
  const [, name, , path, rest] = CALL.exec(text) ?? [];
  if (name === undefined) continue;
  const call = begin(name, path, rest);
  if (!call) continue;
  if (rest.endsWith('<unfinished ...>')) underWay.set(thread, call);
  // The text of a write may look like a result; the actual result is the last item on the line.
  else end(call, Number(/\)\s+= (-?\d+)[^)"]*(?:\([^()"]*\))?$/.exec(rest)?.[1] ?? -1));
}

console.log(
  `${lastWrite} writes and ${flushes} flushes of the log, ${acks} acknowledgements, ${violations.length} violations`,
);
for (const violation of violations.slice(0, 5)) console.log(`  ${violation}`);
if (acks !== Number(count) || lastWrite === 0) {
  console.log(`  the trace shows ${acks} acknowledgements of ${count} and ${lastWrite} writes of the log`);
  process.exit(2);
}
process.exit(violations.length === 0 ? 0 : 10);
