import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** Parses a client address added by a proxy, without optional port and brackets; undefined if not an IP address. */
export function namedAddress(text: string): string | undefined {
  const [, v6, v4] = WITH_PORT.exec(text) ?? [];
  const address = v6 ?? v4 ?? text;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * The key under which rate limits count an address. An IPv6 address counts as its /64: a site has at least that much
 * (RFC 6177), so a client could use unlimited single addresses. IPv4 and IPv4-mapped addresses count individually.
 */
export function clientNetwork(ip: string): string {
  if (isIP(ip) === 0) return ip;
  const address = ipaddr.process(ip.split('%')[0] ?? ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
}

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

// Ranges that are not globally reachable, by IANA's special-purpose registries (RFC 6890 and its updates), and
// multicast.
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** The only range of public IPv6 addresses. Excludes IPv4-mapped addresses, NAT64, link-local and multicast. */
const GLOBAL_UNICAST = '2000::/3';
/** Exceptions within it: protocol assignments with Teredo and ORCHID, documentation, 6to4. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const listOf = (subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
};
const notPublicIpv4 = listOf(NOT_PUBLIC_IPV4, 'ipv4');
const notPublicIpv6 = listOf(NOT_PUBLIC_IPV6, 'ipv6');
const globalUnicast = listOf([GLOBAL_UNICAST], 'ipv6');

/** Whether an IP address in its canonical form is globally reachable. False for any other text. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublicIpv4.check(address, 'ipv4');
  return isIPv6(address) && globalUnicast.check(address, 'ipv6') && !notPublicIpv6.check(address, 'ipv6');
}

/** Host of a URL, without the brackets of IPv6 and without trailing dots. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');

const isAddress = (host: string): boolean => isIPv4(host) || isIPv6(host);

/**
 * Whether a host is rejected by its name alone, as normalized by the URL parser (which converts octal, hexadecimal and
 * short forms of addresses). The addresses of other names are checked on connecting.
 */
export function isPrivateHost(host: string): boolean {
  if (host === '' || host === 'localhost' || host.endsWith('.localhost')) return true;
  return isAddress(host) && !isPublicAddress(host);
}
