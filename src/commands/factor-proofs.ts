import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  type AuthenticatorApp,
  factors,
  type Factors,
  type Passkey,
  useApp,
  usePasskey,
  useRecoveryCode,
  wrongFactor,
} from '../aggregates/factor.aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { currentContext } from '../eventsourcing/context.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { streamName } from '../eventsourcing/stream-name.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { type FactorClaims, FactorTokens } from '../security/factor-tokens.js';
import { AssertionCredential, asserted, requestOptions } from '../security/passkeys.js';
import { hashOfRecoveryCode } from '../security/recovery-codes.js';
import { SecretBox } from '../security/secret-box.js';
import { stepOfCode } from '../security/totp.js';
import { LoginThrottle, SECOND_FACTORS } from './login-throttle.js';
import type { Account } from './session-accounts.js';

/** Proofs of a second factor. A request contains at most one of them. */
export const factorProof = {
  code: z.string().max(32).exactOptional().meta({ description: 'Code from an authenticator app.' }),
  recoveryCode: z.string().max(64).exactOptional().meta({ description: 'An unused recovery code.' }),
  credential: AssertionCredential.exactOptional().meta({
    description: 'Result of `navigator.credentials.get` for `options`, as JSON.',
  }),
};
export type FactorProof = z.output<z.ZodObject<typeof factorProof>>;

/** Returns the names of the members that contain a proof. */
export const proofsIn = (body: object): string[] =>
  ['code', 'recoveryCode', 'credential', 'password'].filter((name) => name in body);

export type Method = 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE' | 'PASSWORD';

/** Response to a request that needs a further proof of the person's identity. */
export type FactorRequired = {
  readonly factorRequired: true;
  readonly factorToken: string;
  readonly methods: readonly Method[];
  /** Options for `navigator.credentials.get`; null if no passkey can be used on this host. */
  readonly options: object | null;
};

/** Returns the location of a sealed secret. Decrypting the secret requires the same location. */
export const placeOf = ({ tenantId, id }: Target, factorId: string): string => `${tenantId}/${id}/${factorId}`;

const isApp = (factor: { readonly type: string }): factor is AuthenticatorApp => factor.type === 'TOTP';
export const isPasskey = (factor: { readonly type: string }): factor is Passkey => factor.type === 'PASSKEY';

/** Requests and verifies second factors. Each code, recovery code and assertion is accepted only once. */
@Injectable()
export class FactorProofs {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(FactorTokens) private readonly tokens: FactorTokens,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(SecretBox) private readonly box: SecretBox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async of({ tenantId, id }: Target): Promise<Factors> {
    return (await this.reader.read(factors, tenantId, id)).state;
  }

  /** `sessionId` is set for a step-up. If the account has no factors, the password is the only method. */
  async required(account: Account, known: Factors, host: string, sessionId?: string): Promise<FactorRequired> {
    const { tenantId: tid, owner } = account;
    const { userId: sub, epoch, tenantEpoch } = owner;
    const { factorToken, challenge } = await this.tokens.issue({
      ...{ sub, tid, epoch, tenantEpoch },
      ...(sessionId !== undefined && { sid: sessionId }),
    });
    const passkeys = known.factors.filter(isPasskey).filter((passkey) => passkey.host === host);
    const methods: Method[] = [
      ...(known.factors.some(isApp) ? ['TOTP' as const] : []),
      ...(passkeys.length > 0 ? ['PASSKEY' as const] : []),
      ...(known.recoveryCodes.length > 0 ? ['RECOVERY_CODE' as const] : []),
    ];
    const options = passkeys.length > 0 ? await requestOptions(challenge, host, passkeys) : null;
    if (known.factors.length === 0) methods.push('PASSWORD');
    return { factorRequired: true, factorToken, methods, options };
  }

  /** Returns the claims of a factor token; undefined if there is no token or it is invalid. */
  async claimsOf(factorToken: string | undefined): Promise<FactorClaims | undefined> {
    return factorToken === undefined ? undefined : this.tokens.read(factorToken);
  }

  /**
   * Verifies a proof and marks it as used. Returns the method, or undefined for a proof that is wrong or has been used
   * before. Such a proof counts as a failed sign-in. `challenge` is the passkey challenge.
   * @throws DomainError limited, unavailable
   */
  spend(target: Target, proof: FactorProof, challenge: string | undefined): Promise<Method | undefined> {
    const account = streamName(factors.name, target.tenantId, target.id);
    const attempt = async (): Promise<Method | undefined> => {
      try {
        return await this.use(target, proof, challenge);
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'unauthenticated') return undefined;
        throw error;
      }
    };
    return this.throttle.guard(account, currentContext().ip ?? '', attempt, SECOND_FACTORS);
  }

  private async use(target: Target, proof: FactorProof, challenge: string | undefined): Promise<Method> {
    if (proof.recoveryCode !== undefined) {
      const codeHash = hashOfRecoveryCode(proof.recoveryCode);
      await this.runner.execute(factors, target, { codeHash }, useRecoveryCode);
      return 'RECOVERY_CODE';
    }
    const known = (await this.of(target)).factors;
    if (proof.credential !== undefined && challenge !== undefined)
      return this.usePasskey(target, known.filter(isPasskey), proof.credential, challenge);
    return this.useCode(target, known.filter(isApp), (proof.code ?? '').replaceAll(' ', ''));
  }

  private async useCode(target: Target, apps: readonly AuthenticatorApp[], code: string): Promise<Method> {
    for (const { id: factorId, sealedSecret } of apps) {
      const secret = this.box.unseal(sealedSecret, placeOf(target, factorId));
      const step = stepOfCode(secret, code, this.clock.nowMs());
      if (step === undefined) continue;
      await this.runner.execute(factors, target, { factorId, step }, useApp);
      return 'TOTP';
    }
    throw wrongFactor();
  }

  private async usePasskey(
    target: Target,
    passkeys: readonly Passkey[],
    credential: NonNullable<FactorProof['credential']>,
    challenge: string,
  ): Promise<Method> {
    const passkey = passkeys.find(({ credentialId }) => credentialId === credential.id);
    const counter = passkey && (await asserted(credential, challenge, passkey));
    if (!passkey || counter === undefined) throw wrongFactor();
    await this.runner.execute(factors, target, { factorId: passkey.id, counter, challenge }, usePasskey);
    return 'PASSKEY';
  }
}
