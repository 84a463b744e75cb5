import { hostname } from 'node:os';
import type { Ids } from '../ports/time.js';

/** Identifies a thread of this process as the holder of leases. The host name shows operators where the thread runs. */
export const holderOf = (ids: Ids): string => `${hostname()}~${ids.next()}`;
