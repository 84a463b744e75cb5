import { hash, verify } from '@node-rs/argon2';

/** OWASP's parameters for argon2id (the library's default kind): 19 MiB, two passes, one lane. Hashing runs on the thread pool, off the event loop. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Argon2id hash in PHC format, with a random salt. */
export const hashPassword = (password: string): Promise<string> => hash(password, parameters);

let decoy: Promise<string> | undefined;

/**
 * Whether the password belongs to the hash. Without a hash (no such account) the same work is done for nothing, so that
 * both cases take the same time.
 */
export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  const matches = await verify(passwordHash ?? (await decoy), password);
  return matches && passwordHash !== undefined;
}
