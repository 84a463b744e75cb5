import { BlockList, isIPv4, isIPv6 } from 'node:net';

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
