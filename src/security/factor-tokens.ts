import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { CLOCK, type Clock } from '../ports/time.js';
import { AccessTokens } from './access-tokens.js';
import { ALGORITHM } from './signing-keys.js';

/** Time limit, in seconds, for entering a code or using a passkey. */
const LIFETIME_SECONDS = 300;
const TYPE = 'factor+jwt';

/** Identifies an account whose password has been verified, or for which a step-up was requested. */
const FactorClaims = z.object({
  sub: z.string(),
  tid: z.string(),
  /** Epochs of the account and its tenant. A later change to either epoch invalidates the token. */
  epoch: z.int(),
  tenantEpoch: z.int(),
  /** The session to step up. Absent for a sign-in. */
  sid: z.string().optional(),
  /** Challenge for a passkey. */
  jti: z.string(),
});
export type FactorClaims = z.output<typeof FactorClaims>;

/** Short-lived tokens for the time between the first and second steps of a sign-in or step-up. They grant no access. */
@Injectable()
export class FactorTokens {
  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async issue(
    claims: Omit<FactorClaims, 'jti'>,
  ): Promise<{ readonly factorToken: string; readonly challenge: string }> {
    const key = await this.tokens.keys.current();
    const challenge = randomBytes(32).toString('base64url');
    const nowSeconds = Math.floor(this.clock.nowMs() / 1_000);
    const factorToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: key.id, typ: TYPE })
      .setExpirationTime(nowSeconds + LIFETIME_SECONDS)
      .setJti(challenge)
      .sign(key.privateKey);
    return { factorToken, challenge };
  }

  /** Returns undefined for a token that is invalid or has expired. */
  async read(token: string): Promise<FactorClaims | undefined> {
    try {
      const key = await this.tokens.keys.find(decodeProtectedHeader(token).kid ?? '');
      if (!key) return undefined;
      const currentDate = new Date(this.clock.nowMs());
      const options = { algorithms: [ALGORITHM], typ: TYPE, requiredClaims: ['exp'], currentDate };
      return FactorClaims.parse((await jwtVerify(token, key.publicKey, options)).payload);
    } catch {
      return undefined;
    }
  }
}
