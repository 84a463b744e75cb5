import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes on the heap that are still reachable after a garbage collection. */
export function usedMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
