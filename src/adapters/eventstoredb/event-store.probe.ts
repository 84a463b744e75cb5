import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { EngineFault } from '../../ports/engine.js';
import { type ConnectionFault, connectionFaultOf } from '../connection-faults.js';
import { optionsOf } from './event-store.client.js';

const PROBE_MS = 1_000;

type TlsFiles = { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
const TLS_FILES = [
  ['tlsCAFile', 'ca'],
  ['userCertFile', 'cert'],
  ['userKeyFile', 'key'],
] as const;

const fault = (part: string, reason: string): EngineFault => ({ setting: `EVENTSTORE_URL, ${part}`, reason });

const NO_TLS = fault('tls', 'TLS could not be negotiated with the server');

const FAULTS: Readonly<Record<ConnectionFault, EngineFault>> = {
  'unknown host': fault('host', 'the host name is unknown'),
  refused: fault('host and port', 'the connection was refused'),
  unreachable: fault('host and port', 'the host does not respond'),
  reset: NO_TLS,
  'certificate of another host': fault('host', "the server's certificate does not match the host name"),
  'expired certificate': fault('tls', "the server's certificate has expired"),
  'untrusted certificate': fault('tlsCAFile', "the server's certificate is not signed by a trusted authority"),
  'client certificate refused': NO_TLS,
  'no common TLS': NO_TLS,
};

/**
 * Diagnoses a failed connection by connecting once more without gRPC, because gRPC does not report the reason. Probes
 * the first host in the connection string.
 */
export async function whyUnreachable(url: string): Promise<EngineFault> {
  const [, host = '', port = '2113'] = /^[^:]+:\/\/(?:[^:]+:[^@]+@)?([^:,/?]+)(?::(\d+))?/.exec(url) ?? [];
  const options = optionsOf(url);
  const isTls = options.get('tls') !== 'false';
  const read = isTls ? filesOf(options) : { files: undefined };
  if ('unreadable' in read) return fault(read.unreadable, 'the file cannot be read');
  const found = await reach(host, Number(port), read.files);
  if (found) return FAULTS[found];
  const reason = 'the server accepts connections but does not respond';
  return isTls ? fault('host and port', reason) : fault('host, port and tls', reason);
}

/** Reads the files named in the connection string. They may have been replaced or removed since the service started. */
function filesOf(options: ReadonlyMap<string, string>): { readonly files: TlsFiles } | { readonly unreadable: string } {
  const files: Record<string, Buffer> = {};
  for (const [option, name] of TLS_FILES) {
    const path = options.get(option.toLowerCase());
    if (path === undefined) continue;
    try {
      files[name] = readFileSync(path);
    } catch {
      return { unreadable: option };
    }
  }
  return { files };
}

/** Returns the fault, or undefined if the connection succeeds or times out. */
async function reach(host: string, port: number, files: TlsFiles | undefined): Promise<ConnectionFault | undefined> {
  const socket = files
    ? connectTls({ host, port, ...files, ...(isIP(host) === 0 && { servername: host }) })
    : connectPlain({ host, port });
  const stop = AbortSignal.timeout(PROBE_MS);
  try {
    await once(socket, files ? 'secureConnect' : 'connect', { signal: stop });
    return undefined;
  } catch (error) {
    return connectionFaultOf(error);
  } finally {
    // Without a listener, a late error would terminate the process.
    socket.on('error', () => undefined).destroy();
  }
}
