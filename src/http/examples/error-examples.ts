import { z } from 'zod';
import { ensureSameRequest, secretShown } from '../../aggregates/request-key.aggregate.js';
import { revisionConflict } from '../../eventsourcing/command-runner.js';
import { conflict, DomainError, notFound, readModelBehind } from '../../eventsourcing/domain-error.js';
import { factorRequired, stepUpRequired } from '../../security/step-up.js';
import { isWrite, pathParameters, readsIdempotencyKey, readsIfMatch, type Endpoint } from '../endpoint.js';
import { problemBody, problemOf, problemOfStatus, type Problem } from '../problem.js';
import { invalidKey, operatorsOnly, otherSite, permissionRequired, rateLimited, unauthenticated } from '../refusals.js';
import { parsed } from '../request-input.js';
import { CONFLICT_MESSAGES, CONFLICTS } from './conflicts.js';
import { SAMPLE_IDS } from './sample-ids.js';

/**
 * An error that an operation can return. `about` distinguishes errors with the same code, for example by the missing
 * permission.
 */
export type ErrorExample = { readonly code: string; readonly about: string; readonly body: unknown };
type Cause = { readonly error: DomainError | Problem; readonly about?: string };

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** Nouns for the records that paths identify, used in the messages of 404 responses. Default: a record. */
const NOUNS: Readonly<Record<string, string>> = {
  accounts: 'account',
  applications: 'rule application',
  'audit-logs': 'audit log entry',
  branches: 'branch',
  customers: 'customer',
  'dead-letters': 'dead letter',
  deliveries: 'delivery',
  'error-logs': 'error log',
  factors: 'factor',
  forwarders: 'forwarder',
  'idempotency-keys': 'idempotency key',
  'integration-keys': 'integration key',
  notifications: 'notification',
  operators: 'operator',
  policies: 'policy',
  projections: 'projection',
  roles: 'role',
  rules: 'category rule',
  sales: 'sale',
  sessions: 'session',
  tenants: 'tenant',
  'transaction-categories': 'category',
  transactions: 'transaction',
  users: 'user',
  webhooks: 'webhook',
};

/** Specific messages that replace the default message for a status. */
const OWN_MESSAGES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'POST /api/auth/login': { 401: 'The e-mail address or the password is wrong.' },
  'POST /api/auth/refresh': { 401: 'The refresh token is invalid. Sign in again.' },
  'POST /console/session': { 401: 'The e-mail address or the password is wrong.' },
  'POST /console/session/refresh': { 401: 'The refresh token is invalid. Sign in again.' },
};

/** Returns the errors for a status, with the response bodies that the service sends. */
export function errorExamples(endpoint: Endpoint, status: number, sample?: unknown): ErrorExample[] {
  const isPartner = endpoint.who === 'partner';
  return causesOf(endpoint, status, sample).map(({ error, about = '' }) => {
    const problem = error instanceof DomainError ? problemOf(error) : error;
    const body: unknown = JSON.parse(problemBody({ ...problem, status }, SAMPLE_IDS.request, isPartner));
    return { code: problem.code, about: isPartner ? ['Partner', about].filter(Boolean).join('.') : about, body };
  });
}

const CAUSES: Readonly<Record<number, (endpoint: Endpoint, sample: unknown) => Cause[]>> = {
  400: (endpoint, sample) => [{ error: invalidInput(endpoint, sample), about: nameIn(endpoint) }],
  401: ({ who }) => [{ error: who === 'partner' ? invalidKey() : unauthenticated() }],
  403: (endpoint) => forbidden(endpoint),
  404: (endpoint) => [absent(endpoint)],
  409: (endpoint) => conflicts(endpoint),
  429: () => [{ error: rateLimited(30) }],
  503: (endpoint) => [{ error: problemOfStatus(503) }, ...(isWrite(endpoint) ? [] : [{ error: readModelBehind() }])],
};

function causesOf(endpoint: Endpoint, status: number, sample: unknown): Cause[] {
  const message = OWN_MESSAGES[nameOf(endpoint)]?.[status];
  if (message !== undefined) return [{ error: { ...problemOfStatus(status), message }, about: nameIn(endpoint) }];
  return CAUSES[status]?.(endpoint, sample) ?? [{ error: problemOfStatus(status) }];
}

/**
 * Returns the operation as part of a component name, for example `POST.api.branches`. Component names must not contain
 * slashes.
 */
const nameIn = ({ method, path }: Endpoint): string =>
  `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '.')}`.replace(/\.$/, '');

const nothing = z.strictObject({}).optional();

/**
 * Returns the error for a request without its first required field or, if no field is required, with an unknown field.
 */
function invalidInput({ body, query, method }: Endpoint, sample: unknown): DomainError {
  const schema = (isWrite({ method }) ? body : query) ?? nothing;
  for (const wrong of [{}, withoutFirst(sample), { unexpected: '1' }])
    try {
      parsed(schema, wrong);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  return problemAsError(400);
}

const withoutFirst = (sample: unknown): object => Object.fromEntries(Object.entries(sample ?? {}).slice(1));
const problemAsError = (status: number): DomainError => {
  const { code, message } = problemOfStatus(status);
  return new DomainError('invalid', code, message);
};

function forbidden({ who, permission, sameOrigin, stepUp, withoutFactor }: Endpoint): Cause[] {
  const causes: Cause[] = [];
  if (sameOrigin === true) causes.push({ error: otherSite(), about: 'site' });
  if (who === 'platform') causes.push({ error: operatorsOnly(), about: 'operators' });
  if (permission !== undefined) causes.push({ error: permissionRequired(permission), about: permission });
  if (stepUp === true) causes.push({ error: stepUpRequired() });
  if (who !== 'public' && who !== 'token' && who !== 'partner' && withoutFactor !== true)
    causes.push({ error: factorRequired() });
  return causes.length > 0 ? causes : [{ error: problemOfStatus(403) }];
}

function absent({ path }: Endpoint): Cause {
  if (pathParameters(path).length === 0) return { error: problemOfStatus(404) };
  const collection = path.split('/').findLast((_, at, parts) => parts[at + 1]?.startsWith(':') === true) ?? '';
  const noun = NOUNS[collection] ?? 'record';
  return { error: notFound(noun), about: noun.replaceAll(' ', '-') };
}

function conflicts(endpoint: Endpoint): Cause[] {
  const own = (CONFLICTS[nameOf(endpoint)] ?? []).map((code) => ({ error: conflict(code, CONFLICT_MESSAGES[code]) }));
  const causes: Cause[] = [...own];
  if (readsIfMatch(endpoint)) causes.push({ error: revisionConflict() });
  if (readsIdempotencyKey(endpoint)) causes.push({ error: differentRequest() });
  if (endpoint.creates?.showsSecret === true) causes.push({ error: secretShown(SAMPLE_IDS.key) });
  return causes.length > 0 ? causes : [{ error: problemOfStatus(409) }];
}

function differentRequest(): DomainError {
  try {
    ensureSameRequest({ name: 'first' }, { name: 'second' });
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('Different requests are a conflict.');
}
