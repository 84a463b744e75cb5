import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

/** EdDSA, ES256 and RS256 (COSE). Every authenticator supports at least one of them. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;
const NAME = 'Kontor';

/** Loads the library when the first passkey is used, because loading takes a quarter of a second. */
const webauthn = () => import('@simplewebauthn/server');

/** A credential id has at most 1,023 bytes (WebAuthn Level 3, section 4), or 1,364 characters in base64url. */
const credentialId = z.string().max(1_364);
const text = (maxLength: number) => z.string().max(maxLength);

/**
 * A credential as returned by `PublicKeyCredential.toJSON()` (WebAuthn Level 3, section 5.1). Additional members are
 * ignored.
 */
const credentialWith = <R extends z.ZodRawShape>(response: R) =>
  z.looseObject({
    id: credentialId,
    rawId: credentialId,
    response: z.looseObject({ clientDataJSON: text(2_000), ...response }),
  });
export const RegistrationCredential = credentialWith({
  attestationObject: text(16_384),
  transports: z.array(text(32)).max(10).exactOptional(),
});
export const AssertionCredential = credentialWith({ authenticatorData: text(1_000), signature: text(1_000) });

/** A passkey of an account and the host of the pages that may use it. */
export type StoredPasskey = {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly host: string;
};
type Person = { readonly id: string; readonly email: string };

/** Returns the id of the relying party, which is the host name without its port. */
const rpIdOf = (host: string): string => host.replace(/:\d+$/, '');
/**
 * Returns the origins of a host. Browsers offer passkeys only over HTTPS and on localhost, but a proxy may terminate
 * TLS.
 */
const originsOf = (host: string): string[] => [`https://${host}`, `http://${host}`];
type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>;
const listed = ({ credentialId: id, transports }: Pick<StoredPasskey, 'credentialId' | 'transports'>) => ({
  id,
  transports: transports as Transports,
});
const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, 'base64url'));

/** Returns the options for `navigator.credentials.create`. */
export async function creationOptions(
  { id, email }: Person,
  { challenge, host }: { readonly challenge: string; readonly host: string },
  known: readonly StoredPasskey[],
): Promise<object> {
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: NAME,
    rpID: rpIdOf(host),
    userID: new Uint8Array(Buffer.from(id)),
    userName: email,
    challenge: bytesOf(challenge),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: known.filter((passkey) => passkey.host === host).map(listed),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Returns the options for `navigator.credentials.get`. */
export async function requestOptions(
  challenge: string,
  host: string,
  known: readonly StoredPasskey[],
): Promise<object> {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: rpIdOf(host),
    challenge: bytesOf(challenge),
    timeout: TIMEOUT_MS,
    allowCredentials: known.map(listed),
    userVerification: 'preferred',
  });
}

/** Returns the new passkey, or undefined if the credential does not match the challenge and host. */
export async function registered(
  credential: z.output<typeof RegistrationCredential>,
  { challenge, host }: { readonly challenge: string; readonly host: string },
): Promise<Omit<StoredPasskey, 'host'> | undefined> {
  const { verifyRegistrationResponse } = await webauthn();
  try {
    if (await isCertified(credential.response.attestationObject)) return undefined;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: credential as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: originsOf(host),
      expectedRPID: rpIdOf(host),
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) return undefined;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    const { transports = [] } = credential.response;
    return { credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  } catch {
    return undefined;
  }
}

/**
 * Whether the attestation contains certificates. The service requests none. To verify them, it would have to fetch
 * revocation lists from addresses that the client chooses.
 */
async function isCertified(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(bytesOf(attestationObject));
  return !['none', 'packed'].includes(attestation.get('fmt')) || attestation.get('attStmt').get('x5c') !== undefined;
}

/**
 * Returns the passkey's new signature counter, or undefined if the assertion does not match the passkey, its host and
 * the challenge.
 */
export async function asserted(
  credential: z.output<typeof AssertionCredential>,
  challenge: string,
  { credentialId: id, publicKey, counter, transports, host }: StoredPasskey,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: originsOf(host),
      expectedRPID: rpIdOf(host),
      requireUserVerification: false,
      credential: { id, publicKey: bytesOf(publicKey), counter, transports: transports as Transports },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
