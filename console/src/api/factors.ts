import { queryOptions } from '@tanstack/react-query';
import type { components } from '../../../clients/typescript/src/schema';
import { api, data } from './client';
import { t } from '../messages/catalogue';

type Schemas = components['schemas'];
export type FactorRequired = Schemas['FactorRequiredDto'];
export type FactorProof = Schemas['FactorLoginDto'];
export type Factor = Schemas['FactorDto'];
export type NewFactor = Schemas['NewFactorDto'];

export const FACTOR_TYPES = [
  ['TOTP', t('Authenticator app')],
  ['PASSKEY', t('Passkey')],
] as const;

export const factorWords = (type: Factor['type']): string => FACTOR_TYPES.find(([each]) => each === type)?.[1] ?? type;

/** The signed-in user's second factors. */
export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => data(api.GET('/api/auth/factors', { signal })),
});

export const addFactor = (type: Factor['type']) => data(api.POST('/api/auth/factors', { body: { type } }));

/** Confirms a factor. Returns new recovery codes, which replace all earlier ones. */
export const confirmFactor = async (id: string, body: Schemas['ConfirmFactorDto']) =>
  (await data(api.POST('/api/auth/factors/{id}/confirm', { params: { path: { id } }, body }))).recoveryCodes;

/** Creates a passkey and confirms it. Returns the recovery codes. @throws DOMException if the user declines */
export async function addPasskey(): Promise<readonly string[]> {
  const { id, options } = await addFactor('PASSKEY');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  return confirmFactor(id, { credential: credential.toJSON() as unknown as NonNullable<Confirmed['credential']> });
}
type Confirmed = Schemas['ConfirmFactorDto'];

/** Asks the browser to respond to a passkey challenge. @throws DOMException if the user declines */
export async function passkeyAnswer(options: object): Promise<NonNullable<FactorProof['credential']>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = await navigator.credentials.get({ publicKey });
  return (credential as PublicKeyCredential).toJSON() as unknown as NonNullable<FactorProof['credential']>;
}
