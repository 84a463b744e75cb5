import { hostname } from 'node:os';
import type { Ids } from '../ports/time.js';

/**
 * Identifies this process, with all of its threads, as the holder of leases. The host name shows operators where the
 * process runs.
 */
export const holderOf = (ids: Ids): string => `${hostname()}~${ids.next()}`;
