// Kills the process that loads this module, just before or just after a port call takes effect:
//
//   CRASH_AT=<point>:<before|after|torn>:<n> node --import ./test/support/crash-points.mjs dist/modules/main.js
//
// The crash occurs at the nth call at that point. Each thread counts its calls separately. `torn` stores some of a
// write's documents, but no checkpoint, as may happen in a read store without transactions. An append to several
// streams is split, as the port permits. Without CRASH_AT, nothing changes. Worker threads inherit the import, so the
// module also runs in them.
const [point = '', moment = '', nth = '1'] = (process.env.CRASH_AT ?? '').split(':');
let calls = 0;

const isNow = () => (calls += 1) === Number(nth);
const crash = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};

/** @param carryOut the call itself @param tear stores the part that a torn call leaves behind */
async function guarded(carryOut, tear) {
  if (!isNow()) return carryOut();
  if (moment === 'torn') await tear?.();
  if (moment === 'after') await carryOut();
  return crash();
}

const holds =
  (...types) =>
  ({ events }) =>
    events.some(({ type }) => types.includes(type));
const holdsAll =
  (...types) =>
  ({ events }) =>
    types.every((wanted) => events.some(({ type }) => type === wanted));
const goesTo =
  (prefix) =>
  ({ stream }) =>
    stream.startsWith(prefix);

const appends = {
  'key claim': goesTo('idempotency-key-'),
  'sale append': holds('SaleAccepted'),
  'sale append with its booking': holdsAll('SaleAccepted', 'SaleBooked'),
  'customer choice': holds('SaleCustomerChosen'),
  'uniqueness claim': goesTo('claim-'),
  'customer append': holds('CustomerCreated'),
  booking: holds('SaleBooked', 'ReturnBooked', 'SaleCancelled'),
};

const writes = {
  'read-model write': ({ tables }) => tables.some(({ writes: documents }) => documents.length > 0),
  checkpoint: ({ tables, checkpoints }) => tables.length === 0 && checkpoints.length > 0,
};

async function interceptAppends(matches) {
  const { EmbeddedEventStore } = await import('../../dist/modules/adapters/embedded/event-store.js');
  const { append, appendInOrder } = EmbeddedEventStore.prototype;
  EmbeddedEventStore.prototype.append = function (one) {
    return matches(one) ? guarded(() => append.call(this, one)) : append.call(this, one);
  };
  EmbeddedEventStore.prototype.appendInOrder = async function (all) {
    if (!all.some(matches)) return appendInOrder.call(this, all);
    const appended = [];
    for (const one of all) appended.push(await this.append(one));
    return appended;
  };
}

async function interceptWrites(matches) {
  const { EmbeddedReadStore } = await import('../../dist/modules/adapters/embedded/read-store.js');
  const { write } = EmbeddedReadStore.prototype;
  EmbeddedReadStore.prototype.write = function (batch) {
    const tear = () => {
      const written = batch.tables.filter(({ writes: documents }) => documents.length > 0);
      return write.call(this, { tables: written.slice(0, Math.ceil(written.length / 2)), checkpoints: [] });
    };
    return matches(batch) ? guarded(() => write.call(this, batch), tear) : write.call(this, batch);
  };
}

async function interceptPublishing() {
  const { EmbeddedBroker } = await import('../../dist/modules/adapters/embedded/broker.js');
  const { publishInOrder } = EmbeddedBroker.prototype;
  EmbeddedBroker.prototype.publishInOrder = function (...given) {
    return guarded(() => publishInOrder.apply(this, given));
  };
}

async function interceptRenewals() {
  const { MemoryLeaseStore } = await import('../../dist/modules/adapters/embedded/lease-store.js');
  const { replace } = MemoryLeaseStore.prototype;
  MemoryLeaseStore.prototype.replace = function (name, expected, next) {
    const isRenewal = expected?.holder === next.holder && next.counter > expected.counter;
    return isRenewal
      ? guarded(() => replace.call(this, name, expected, next))
      : replace.call(this, name, expected, next);
  };
}

if (appends[point]) await interceptAppends(appends[point]);
else if (writes[point]) await interceptWrites(writes[point]);
else if (point === 'publish') await interceptPublishing();
else if (point === 'lease renewal') await interceptRenewals();
else if (point !== '') throw new Error(`No such point: ${point}`);
