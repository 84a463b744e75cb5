const DEFAULT_PORT = 4_222;
const SCHEMES = ['nats:', 'tls:'];

/** A server to which the client may connect. */
export type NatsAddress = {
  readonly host: string;
  readonly port: number;
  /** Whether the connection must be encrypted. If false, the server decides. */
  readonly tls: boolean;
  readonly credentials: NatsCredentials;
};
export type NatsCredentials = { readonly user?: string; readonly pass?: string; readonly token?: string };

/**
 * Parses comma-separated `nats://` and `tls://` addresses of servers in one cluster. Each address may start with
 * `user:password@` or `token@`. An address without credentials uses those of the first address.
 * @throws Error for anything else. The message omits the address, which may contain a secret.
 */
export function parseAddresses(url: string): readonly NatsAddress[] {
  const parsed = url.split(',').map((text, index) => parseAddress(text.trim(), index));
  const shared = parsed[0]?.credentials ?? {};
  return parsed.map((address) => ({
    ...address,
    credentials: Object.keys(address.credentials).length > 0 ? address.credentials : shared,
  }));
}

function parseAddress(text: string, index: number): NatsAddress {
  const fault = new Error(`Address ${index + 1} of NATS_URL must have the form nats://host:4222 or tls://host:4222.`);
  let url: URL;
  let credentials: NatsCredentials;
  try {
    url = new URL(text.includes('://') ? text : `nats://${text}`);
    credentials = credentialsOf(decodeURIComponent(url.username), decodeURIComponent(url.password));
  } catch {
    throw fault;
  }
  if (!SCHEMES.includes(url.protocol) || url.hostname === '' || !['', '/'].includes(url.pathname)) throw fault;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    tls: url.protocol === 'tls:',
    credentials,
  };
}

function credentialsOf(user: string, pass: string): NatsCredentials {
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}

/** Returns an address without credentials, for logging. */
export const nameOf = ({ host, port }: NatsAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
