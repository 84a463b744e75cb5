// Suspends the process that loads this module, as SIGSTOP does, between two steps of its work:
//
//   STOP_AT=<point> STOP_WHEN=<file> node --import ./test/support/stop-points.mjs dist/modules/main.js
//
// The process stops the first time that it reaches the point while the file exists. It removes the file just before.
// After SIGCONT, it continues with the next step. Worker threads inherit the import, so the module also runs in them.
import { readFileSync, unlinkSync } from 'node:fs';

const { STOP_AT: point = '', STOP_WHEN: file = '', STOP_TYPES: types = '' } = process.env;
const PAUSE_MS = 5;
/** If a pause takes longer than this, the process was suspended. */
const SUSPENDED_MS = 2_000;

/** Removes the file. Only one thread can do so, so only one thread stops the process. */
function isDue() {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false;
  }
}

/** Returns the contents of the file, or an empty string if the file does not exist. */
function content() {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns once the process has been suspended and continued. The signal may arrive with a short delay. */
function stopHere() {
  if (!isDue()) return;
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  let last = performance.now();
  process.kill(process.pid, 'SIGSTOP');
  for (let now = last; ; last = now) {
    now = performance.now();
    if (now - last > SUSPENDED_MS) return;
    Atomics.wait(waiting, 0, 0, PAUSE_MS);
  }
}

/** Stops after JetStream has stored a message and before the broker adapter receives the acknowledgement. */
async function interceptAcknowledgements() {
  const { AckInbox } = await import('../../dist/modules/adapters/nats/broker.acks.js');
  const { receive } = AckInbox.prototype;
  AckInbox.prototype.receive = function (message) {
    // This event has further messages, which the service publishes after this acknowledgement.
    if (this.waiting.get(message.subject)?.subject.endsWith('.sale.booked')) stopHere();
    return receive.call(this, message);
  };
}

/** Stops after the documents of a batch have been stored and before its checkpoint is. */
async function interceptCheckpoints() {
  const { ReadStoreWriter } = await import('../../dist/modules/adapters/mongodb/read-store.writer.js');
  const { write, checkpoints } = ReadStoreWriter.prototype;
  const withDocuments = new WeakSet();
  ReadStoreWriter.prototype.write = function (batch) {
    if (batch.tables.some(({ writes }) => writes.length > 0)) withDocuments.add(batch.checkpoints);
    return write.call(this, batch);
  };
  ReadStoreWriter.prototype.checkpoints = function (given) {
    if (withDocuments.has(given)) stopHere();
    return checkpoints.call(this, given);
  };
}

/**
 * Stops during several concurrent appends. The file contains the id of the tenant whose streams are affected.
 * STOP_TYPES contains the types of the appends' first events, separated by commas. The process stops once, for each
 * type, one append has not been sent yet and another has been stored but not answered. The responses never arrive.
 */
async function interceptAppends() {
  const { EventStoreDb } = await import('../../dist/modules/adapters/eventstoredb/event-store.js');
  const { Lane } = await import('../../dist/modules/adapters/eventstoredb/event-store.lane.js');
  const { correlationIdOf } = await import('../../dist/modules/adapters/eventstoredb/event-store.messages.js');
  const { append } = EventStoreDb.prototype;
  const { settle } = Lane.prototype;
  const wanted = types.split(',');
  const typeOf = ({ events }) => events[0]?.type ?? '';
  const isWanted = (one) => {
    if (!wanted.includes(typeOf(one))) return false;
    const tenantId = content();
    return tenantId !== '' && one.stream.includes(tenantId);
  };
  /** For each type: the function that sends the append, and the pending append in its lane. */
  const unsent = new Map();
  const unanswered = new Map();
  const stopWhenComplete = () => {
    if (unsent.size < wanted.length || unanswered.size < wanted.length) return;
    stopHere();
    for (const send of unsent.values()) send();
  };
  EventStoreDb.prototype.append = async function (one) {
    if (isWanted(one) && !unsent.has(typeOf(one)))
      await new Promise((send) => {
        unsent.set(typeOf(one), send);
        stopWhenComplete();
      });
    return append.call(this, one);
  };
  Lane.prototype.settle = function (answer) {
    const pending = this.byCorrelationId.get(correlationIdOf(answer));
    if (!pending || !isWanted(pending.append)) return settle.call(this, answer);
    const type = typeOf(pending.append);
    // An append that has timed out is no longer pending.
    if (!this.pending.has(unanswered.get(type))) unanswered.set(type, pending);
    if (unanswered.get(type) !== pending) return settle.call(this, answer);
    stopWhenComplete();
  };
}

if (point === 'append') await interceptAppends();
else if (point === 'acknowledgement') await interceptAcknowledgements();
else if (point === 'checkpoint') await interceptCheckpoints();
else if (point !== '') throw new Error(`No such point: ${point}`);
