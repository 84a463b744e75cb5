import { hash, verify } from '@node-rs/argon2';
import { DomainError } from './domain-error.js';
import { Gate, type GateLimits } from './gate.js';

/** OWASP's parameters for argon2id (the library's default kind): 19 MiB, two passes, one lane. Hashing runs on the thread pool, off the event loop. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Of the thread pool's four threads: files and name look-ups need the others. */
const AT_ONCE = 2;
/** About three seconds' work. */
const MAX_WAITING = 100;

/** Hashes and verifies passwords, few at once and the others in turn. */
export class Passwords {
  private readonly gate: Gate;
  private verifications = 0;
  private decoy: string | undefined;

  constructor(limits: GateLimits = { atOnce: AT_ONCE, maxWaiting: MAX_WAITING }) {
    this.gate = new Gate(limits, tooMany);
  }

  /** How many passwords have been verified, decoys included. */
  get verified(): number {
    return this.verifications;
  }

  /** Argon2id hash in PHC format, with a random salt. @throws DomainError unavailable when too many wait already */
  hash(password: string): Promise<string> {
    return this.gate.run(() => hash(password, parameters));
  }

  /**
   * Whether the password belongs to the hash. Without a hash (no such account) the same work is done for nothing, so that
   * both cases take the same time.
   * @throws DomainError unavailable when too many wait already
   */
  matches(passwordHash: string | undefined, password: string): Promise<boolean> {
    return this.gate.run(async () => {
      this.decoy ??= await hash('no account has this password', parameters);
      this.verifications += 1;
      const matches = await verify(passwordHash ?? this.decoy, password);
      return matches && passwordHash !== undefined;
    });
  }
}

const tooMany = () =>
  new DomainError('unavailable', 'UNAVAILABLE', 'Too many passwords at once. Try again.', { retryAfterSeconds: 1 });

/** The thread pool is the process's, and so is the queue before it. */
export const passwords = new Passwords();

/** Argon2id hash in PHC format, with a random salt. @throws DomainError unavailable when too many wait already */
export const hashPassword = (password: string): Promise<string> => passwords.hash(password);
