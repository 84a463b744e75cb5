import { currentContext } from '../eventsourcing/context.js';
import { passwords } from '../security/passwords.js';

/** Hashes a password set by the caller. @throws DomainError unavailable if too many passwords wait to be hashed */
export function hashNewPassword(password: string): Promise<string> {
  const { tenantId, actor } = currentContext();
  return passwords.hash(password, { group: tenantId, member: 'userId' in actor ? actor.userId : tenantId });
}
