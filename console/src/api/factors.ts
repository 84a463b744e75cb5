import type { components } from '../../../clients/typescript/src/schema';

type Schemas = components['schemas'];
export type FactorRequired = Schemas['FactorRequiredDto'];
export type FactorProof = Schemas['FactorLoginDto'];

/** Lets the browser answer a passkey challenge. @throws DOMException if the user declines */
export async function passkeyAnswer(options: object): Promise<NonNullable<FactorProof['credential']>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = await navigator.credentials.get({ publicKey });
  return (credential as PublicKeyCredential).toJSON() as unknown as NonNullable<FactorProof['credential']>;
}
