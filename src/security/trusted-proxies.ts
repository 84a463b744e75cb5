import ipaddr from 'ipaddr.js';
import { namedAddress } from './client-network.js';

/**
 * Proxies whose `X-Forwarded-For` is trusted: the number of chained proxies, or a list of addresses and CIDR ranges.
 * False trusts none.
 */
export type TrustedProxies = false | number | readonly string[];

const MOST = 10;

/** Parses the setting; `true` means one proxy. Undefined for an invalid text. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (text === 'false' || text === '0') return false;
  if (text === 'true') return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text) <= MOST ? Number(text) : undefined;
  const networks = text.split(',').map((part) => part.trim());
  return networks.every((network) => isNetwork(cidrOf(network))) ? networks : undefined;
}

/** Fastify's trust function. Each proxy appends the address of its peer; anything before that is a client's claim. */
export function trustOf(proxies: TrustedProxies): false | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false;
  if (typeof proxies === 'number') return (_, hop) => hop < proxies;
  const networks = proxies.map((network) => ipaddr.parseCIDR(cidrOf(network)));
  return (text) => {
    const named = namedAddress(text);
    if (named === undefined) return false;
    const address = ipaddr.process(named);
    return networks.some((network) => address.kind() === network[0].kind() && address.match(network));
  };
}

const isNetwork = (cidr: string): boolean =>
  ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr) || ipaddr.IPv6.isValidCIDR(cidr);

/** A single address becomes a network of one. */
const cidrOf = (text: string): string => (text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);
