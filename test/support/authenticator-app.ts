import { codeAt, stepAt } from '../../src/security/totp.js';
import type { Clock } from '../../src/ports/time.js';
import type { TestService } from './service.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Decodes a base32 TOTP secret and returns it in base64url. */
export function decodedSecret(base32: string): string {
  const bits = Array.from(base32, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => parseInt(byte, 2))).toString('base64url');
}

/** An authenticator app added to an account through the API. */
export class AuthenticatorApp {
  private constructor(
    readonly id: string,
    readonly secret: string,
    readonly recoveryCodes: readonly string[],
    private readonly clock: Clock,
  ) {}

  /** Adds an app to the account that owns a recently verified session. */
  static async addTo(service: TestService, token: string): Promise<AuthenticatorApp> {
    const added = await service.post('/api/auth/factors', { type: 'TOTP' }, token);
    if (added.status !== 201) throw new Error(`The authenticator app: ${added.told}`);
    const { id, secret } = added.data as { id: string; secret: string };
    const app = new AuthenticatorApp(id, decodedSecret(secret), [], service.clock);
    const confirmed = await service.post(`/api/auth/factors/${id}/confirm`, { code: app.code() }, token);
    if (confirmed.status !== 200) throw new Error(`The confirmation: ${confirmed.told}`);
    const { recoveryCodes } = confirmed.data as { recoveryCodes: string[] };
    return new AuthenticatorApp(id, app.secret, recoveryCodes, service.clock);
  }

  /** Returns the code for the 30-second time step `steps` steps after the current one. */
  code(steps = 0): string {
    return codeAt(this.secret, stepAt(this.clock.nowMs()) + steps);
  }
}
