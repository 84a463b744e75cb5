import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the number of heap bytes still in use after a garbage collection. */
export function usedMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
