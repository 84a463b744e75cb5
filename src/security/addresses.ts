import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/**
 * Parses a client address added by a proxy. Returns it without its port and brackets, or undefined if it is not an IP
 * address.
 */
export function namedAddress(text: string): string | undefined {
  const [, v6, v4] = WITH_PORT.exec(text) ?? [];
  const address = v6 ?? v4 ?? text;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Returns the key under which rate limits count an address. An IPv6 address counts as its /64 network. A site receives
 * at least a /64 (RFC 6177), and a client could use any number of addresses in it. IPv4 and IPv4-mapped addresses count
 * individually.
 */
export function clientNetwork(ip: string): string {
  if (isIP(ip) === 0) return ip;
  const address = ipaddr.process(ip.split('%')[0] ?? ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
}

/**
 * Proxies whose `X-Forwarded-For` header is trusted: the number of chained proxies, or a list of addresses and CIDR
 * ranges. If false, no proxy is trusted.
 */
export type TrustedProxies = false | number | readonly string[];

const MOST = 10;

/** Parses the setting, in which `true` means one proxy. Returns undefined if the setting is invalid. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (text === 'false' || text === '0') return false;
  if (text === 'true') return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text) <= MOST ? Number(text) : undefined;
  const networks = text.split(',').map((part) => part.trim());
  return networks.every((network) => isNetwork(cidrOf(network))) ? networks : undefined;
}

/**
 * Creates Fastify's trust function. Each proxy appends the address of its peer. Any address before that one is an
 * unverified claim by the client.
 */
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

/** Converts a single address to a network with one address. */
const cidrOf = (text: string): string => (text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);

/** The only range of public IPv6 addresses. Excludes IPv4-mapped, NAT64, link-local and multicast addresses. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Whether an IP address in its canonical form is globally reachable (RFC 6890). False for any other text. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST));
}

/** Returns a URL's host without IPv6 brackets or trailing dots. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');

/**
 * Whether a host is rejected based on its name alone. The name must be normalized by the URL parser, which converts
 * octal, hexadecimal and short forms of addresses. The addresses of other names are checked when a connection is
 * established.
 */
export function isPrivateHost(host: string): boolean {
  if (host === '' || host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) !== 0 && !isPublicAddress(host);
}

export type TargetLimits = {
  /** Allows targets in private networks. */
  readonly allowPrivate: boolean;
  /** Allows unencrypted connections. */
  readonly allowHttp?: boolean;
};

/** Returns the reason why a target's URL is invalid, or undefined if it is valid. */
export function targetFault(target: string, { allowPrivate, allowHttp = false }: TargetLimits): string | undefined {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const protocols = allowHttp ? ['https:', 'http:'] : ['https:'];
  if (!url || !protocols.includes(url.protocol)) return 'Must be an HTTPS URL.';
  if (url.username !== '' || url.password !== '') return 'Must not contain a user name or a password.';
  return !allowPrivate && isPrivateHost(hostOf(url)) ? 'Must be a public address.' : undefined;
}
