/** Cause of a connection failure. */
export type ConnectionFault =
  | 'unknown host'
  | 'refused'
  | 'unreachable'
  | 'reset'
  | 'certificate of another host'
  | 'expired certificate'
  | 'untrusted certificate'
  | 'client certificate refused'
  | 'no common TLS';

/** Faults by Node.js or OpenSSL error code. The first matching entry applies. */
const FAULTS: readonly (readonly [RegExp, ConnectionFault])[] = [
  [/^(ENOTFOUND$|EAI_)/, 'unknown host'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'unreachable'],
  [/^ECONNRESET$/, 'reset'],
  [/ALTNAME/, 'certificate of another host'],
  [/ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN)/, 'client certificate refused'],
  [/^CERT_HAS_EXPIRED$/, 'expired certificate'],
  [/SELF_SIGNED|^DEPTH_ZERO_|^UNABLE_TO_|^CERT_/, 'untrusted certificate'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_)/, 'no common TLS'],
];

/** Returns the cause of a connection failure, or undefined for an unrelated error. */
export function connectionFaultOf(error: unknown): ConnectionFault | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? FAULTS.find(([pattern]) => pattern.test(code))?.[1] : undefined;
}
