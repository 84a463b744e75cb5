import { isIP } from 'node:net';
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
