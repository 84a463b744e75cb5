// node restore-half.mjs FILE DIRECTORY: restores a backup to an embedded store, and kills its own process halfway
// through.
import { catalogue } from '../../dist/modules/app/catalogue.js';
import { EmbeddedEventStore } from '../../dist/modules/adapters/embedded/event-store.js';
import { SystemClock, Uuid7Ids } from '../../dist/modules/adapters/system-time.js';
import { restoreBackup } from '../../dist/modules/backup/backup-restore.js';

const [path, directory] = process.argv.slice(2);
const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
const pipeline = store.pipeline();
let appends = 0;
const killing = {
  pipeline: () => ({
    append: async (append) => {
      const appended = await pipeline.append(append);
      appends += 1;
      if (appends === 100) process.kill(process.pid, 'SIGKILL');
      return appended;
    },
  }),
  subscribeToAll: (subscription) => store.subscribeToAll(subscription),
};
const options = { identity: store, ids: new Uuid7Ids(), report: () => undefined };
await restoreBackup(path, killing, { streams: catalogue.streamPrefixes, resume: false, ...options });
