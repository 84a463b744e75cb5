import { hash, verify } from '@node-rs/argon2';
import { currentContext } from '../eventsourcing/context.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { FairQueue, type FairQueueLimits, type Visitor } from '../eventsourcing/fair-queue.js';

/**
 * OWASP's parameters for argon2id, which are the library's defaults: 19 MiB, two passes, one lane. Hashing runs on the
 * thread pool, off the event loop.
 */
const OWASP = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verifications use two of the pool's four threads. File access and DNS lookups need the other two. */
const VERIFIED_AT_ONCE = 2;
/** Sign-ins already wait in LoginThrottle, so this queue is short. */
const MAX_WAITING = 100;
/** These limits allow a tenant to add all of its staff at once: 100 hashes take about three seconds. */
const HASHING: FairQueueLimits = { atOnce: 1, maxWaiting: 300, maxPerGroup: 100, maxPerMember: 50 };

/**
 * Hashes and verifies passwords with limited concurrency. Sign-ins and password changes have separate queues, so that
 * neither blocks the other. Tenants take turns when setting passwords, and so do the users of each tenant.
 */
export class Passwords {
  /** The parameters for new hashes. Tests that hash many passwords use cheaper parameters. */
  cost = OWASP;
  private readonly verifying = new FairQueue({ atOnce: VERIFIED_AT_ONCE, maxWaiting: MAX_WAITING }, tooMany);
  private readonly hashing: FairQueue;
  private verifications = 0;
  private decoy: string | undefined;

  constructor(limits: FairQueueLimits = HASHING) {
    this.hashing = new FairQueue(limits, tooMany);
  }

  /** Number of password verifications, including verifications of the decoy. */
  get verified(): number {
    return this.verifications;
  }

  /**
   * Returns an argon2id hash in PHC format with a random salt. The password is normalized to Normalization Form C, so
   * that different compositions of the same characters match. `visitor` determines the place in the queue.
   * @throws DomainError unavailable if the queue is full
   */
  hash(password: string, visitor: Visitor = { group: '', member: '' }): Promise<string> {
    return this.hashing.run(visitor, () => hash(password.normalize('NFC'), this.cost));
  }

  /**
   * Whether a password matches a hash. Waits in the same queue as new passwords, so that repeated requests do not delay
   * sign-ins.
   * @throws DomainError unavailable if the queue is full
   */
  isSame(passwordHash: string, password: string, visitor: Visitor): Promise<boolean> {
    return this.hashing.run(visitor, () => this.matchesAny(passwordHash, password));
  }

  /**
   * Whether the password matches the hash. If there is no hash because the account does not exist, a decoy is verified,
   * so that both cases take the same time.
   * @throws DomainError unavailable if the queue is full
   */
  matches(passwordHash: string | undefined, password: string): Promise<boolean> {
    return this.verifying.run({ group: '' }, async () => {
      this.decoy ??= await hash('no account has this password', this.cost);
      const isMatch = await this.matchesAny(passwordHash ?? this.decoy, password);
      return isMatch && passwordHash !== undefined;
    });
  }

  /** Also tries the password exactly as entered, because older hashes were created without normalization. */
  private async matchesAny(passwordHash: string, password: string): Promise<boolean> {
    for (const form of new Set([password.normalize('NFC'), password])) {
      this.verifications += 1;
      if (await verify(passwordHash, form)) return true;
    }
    return false;
  }
}

const tooMany = () =>
  new DomainError('unavailable', 'UNAVAILABLE', 'Too many concurrent password changes. Try again.', {
    retryAfterSeconds: 1,
  });

/** A singleton, because all callers share the process's thread pool. */
export const passwords = new Passwords();

function caller(): Visitor {
  const { tenantId, actor } = currentContext();
  return { group: tenantId, member: 'userId' in actor ? actor.userId : tenantId };
}

/**
 * Hashes a password set by the caller.
 * @throws DomainError unavailable if too many passwords are waiting to be hashed
 */
export const hashNewPassword = (password: string): Promise<string> => passwords.hash(password, caller());

/**
 * Whether the caller is setting the same password again.
 * @throws DomainError unavailable if too many passwords are waiting
 */
export const isSamePassword = (passwordHash: string, password: string): Promise<boolean> =>
  passwords.isSame(passwordHash, password, caller());
