import { DomainError } from '../eventsourcing/domain-error.js';
import type { PermissionCode } from '../security/permissions.js';

/* The errors for requests that are rejected before their handler runs. The API document lists the same errors. */

export const unauthenticated = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'A valid bearer token is required.');
export const invalidKey = (): DomainError =>
  new DomainError('unauthenticated', 'INVALID_KEY', 'A valid integration key is required in X-Integration-Key.');

const forbidden = (message: string): DomainError => new DomainError('forbidden', 'FORBIDDEN', message);
export const otherSite = (): DomainError => forbidden('Only pages of this service can send this request.');
export const operatorsOnly = (): DomainError => forbidden('Only platform operators can do this.');
export const usersOnly = (): DomainError => forbidden('Only users of a tenant can do this.');
export const permissionRequired = (permission: PermissionCode): DomainError =>
  forbidden(`The permission ${permission} is required.`);

export const rateLimited = (seconds: number): DomainError =>
  new DomainError('limited', 'RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });
