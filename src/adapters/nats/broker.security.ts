import { readFile } from 'node:fs/promises';
import { credsAuthenticator, errors, nkeyAuthenticator, type ConnectionOptions } from '@nats-io/transport-node';
import type { EngineFault } from '../../ports/engine.js';
import { connectionFaultOf } from '../connection-faults.js';
import type { NatsAddress } from './broker.address.js';
import { causesOf, textOf } from './broker.errors.js';

/** Settings for trusting the server and authenticating the client, in addition to the URL. */
export type NatsSecurity = {
  /** File with a user's JWT and NKey seed, as written by `nsc` (`.creds`). */
  readonly credsFile?: string | undefined;
  /** File with a user's NKey seed (`SU…`). */
  readonly nkeyFile?: string | undefined;
  /** PEM file with the certificates of the trusted authorities. They replace the default authorities. */
  readonly caFile?: string | undefined;
  /** PEM file with the client certificate. `keyFile` contains the private key. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Whether the server expects the TLS handshake before it sends its greeting (`handshake_first`). */
  readonly handshakeFirst?: boolean | undefined;
};
/**
 * Contents of the credential and certificate files. The files are reread for each connection, so that renewed files
 * take effect.
 */
export type Secured = Pick<ConnectionOptions, 'authenticator'> & {
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly handshakeFirst?: true;
  };
};

const SETTINGS = {
  credsFile: 'NATS_CREDS_FILE',
  nkeyFile: 'NATS_NKEY_FILE',
  caFile: 'NATS_TLS_CA_FILE',
  certFile: 'NATS_TLS_CERT_FILE',
  keyFile: 'NATS_TLS_KEY_FILE',
} as const;

class UnreadableFile extends Error {
  constructor(
    readonly setting: string,
    reason: string,
  ) {
    super(`the file named by ${setting} cannot be read: ${reason}`);
  }
}

/** @throws UnreadableFile */
export async function secure(security: NatsSecurity): Promise<Secured> {
  const [creds, nkey, ca, cert, key] = await Promise.all(
    (['credsFile', 'nkeyFile', 'caFile', 'certFile', 'keyFile'] as const).map((name) => fileOf(security, name)),
  );
  const encoder = new TextEncoder();
  const authenticator =
    creds !== undefined
      ? credsAuthenticator(encoder.encode(creds))
      : nkey !== undefined && nkeyAuthenticator(encoder.encode(nkey.trim()));
  const { handshakeFirst } = security;
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(handshakeFirst === true && { handshakeFirst }),
  };
  return { ...(authenticator && { authenticator }), ...(Object.keys(tls).length > 0 && { tls }) };
}

async function fileOf(security: NatsSecurity, name: keyof typeof SETTINGS): Promise<string | undefined> {
  const path = security[name];
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UnreadableFile(SETTINGS[name], (error as { code?: string }).code ?? textOf(error));
  }
}

/**
 * Returns the setting that probably caused a connection failure, and the reason. The reason is publicly visible, so it
 * omits the server's address.
 */
export function diagnose(thrown: unknown, security: NatsSecurity, { host, port }: NatsAddress): EngineFault {
  const chain = causesOf(thrown);
  const text = chain.map(textOf).join(': ').replaceAll(`${host}:${port}`, 'the server').replaceAll(host, 'the server');
  const faults = chain.map(connectionFaultOf);
  const unreadable = chain.find((error) => error instanceof UnreadableFile);
  if (unreadable) return { setting: unreadable.setting, reason: text };
  if (isRefusedUser(chain)) return { setting: userSettingOf(security), reason: `the server rejects the user: ${text}` };
  if (faults.includes('untrusted certificate') || faults.includes('expired certificate'))
    return { setting: SETTINGS.caFile, reason: `the server's certificate is not trusted: ${text}` };
  if (faults.includes('client certificate refused'))
    return { setting: SETTINGS.certFile, reason: `the server rejects the client certificate: ${text}` };
  return { setting: 'NATS_URL', reason: `cannot connect: ${text}` };
}

const isRefusedUser = (chain: readonly unknown[]): boolean =>
  chain.some(
    (error) => error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError,
  );

function userSettingOf({ credsFile, nkeyFile }: NatsSecurity): string {
  if (credsFile !== undefined) return SETTINGS.credsFile;
  return nkeyFile === undefined ? 'NATS_URL' : SETTINGS.nkeyFile;
}
