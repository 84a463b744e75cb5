import { isIPv6 } from 'node:net';

/**
 * What counts as one address where requests are counted: whoever has an IPv6 address has its whole /64 (RFC 6177 gives a
 * site no less), so single addresses would be as many as one likes. IPv4 addresses, also mapped ones, count as they are.
 */
export function clientNetwork(ip: string): string {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIPv6(address) ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, gap) }, () => '0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
