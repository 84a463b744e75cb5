import { isIP } from 'node:net';

/**
 * Which proxies' `X-Forwarded-For` is believed: so many of them, one behind the other, or those with these addresses and
 * networks (CIDR). False believes none.
 */
export type TrustedProxies = false | number | readonly string[];

const MOST = 10;

/** `true` is one proxy. Undefined for a text that says neither how many nor which. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (text === 'false' || text === '0') return false;
  if (text === 'true') return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text) <= MOST ? Number(text) : undefined;
  const networks = text.split(',').map((part) => part.trim());
  return networks.every(isNetwork) ? networks : undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
