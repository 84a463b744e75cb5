import { Resolver } from 'node:dns/promises';
import type { Lookup } from './outbound-client.js';

/** Time after which the first query for a name is repeated. The second query may take longer. */
const DNS = { timeout: 2_000, tries: 2 };

/**
 * Resolves names by querying DNS servers, without hosts files or search domains. Unlike `dns.lookup`, does not use
 * Node's thread pool, where a few slow lookups delay all others. `servers` defaults to the system's DNS servers.
 */
export const publicLookup =
  (servers?: readonly string[]): Lookup =>
  (host, _, done) => {
    // A new resolver uses the current system configuration.
    const resolver = new Resolver(DNS);
    if (servers) resolver.setServers(servers);
    void Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).then(([v4, v6]) => {
      if (v4.status === 'rejected' && v6.status === 'rejected') {
        done(v4.reason as NodeJS.ErrnoException);
        return;
      }
      const of = (family: number, found: PromiseSettledResult<string[]>) =>
        found.status === 'rejected' ? [] : found.value.map((address) => ({ address, family }));
      done(null, [...of(4, v4), ...of(6, v6)]);
    });
  };
