import { decodeJwt } from 'jose';
import { parseIntegrationKey } from '../../src/aggregates/integration-key.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { EventMetadata } from '../../src/eventsourcing/event-catalogue.js';
import type { Page } from '../../src/queries/query.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { AuditLogDetail, AuditLogRecord } from '../../src/queries/audit-log.queries.js';
import { codeAt, stepAt } from '../../src/security/totp.js';
import { AuthenticatorApp, decodedSecret } from '../support/authenticator-app.js';
import { OidcIssuer } from '../support/oidc-issuer.js';
import { eventually } from '../support/eventually.js';
import { Browser } from '../support/push-service.js';
import { ApiDocument, routeTable } from '../support/route-table.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { addJob, ToyJob } from '../support/toy-job.js';
import { OPERATOR, saleOf, TestService, type TestTenant } from '../support/service.js';

/*
 * Calls every command of the API. Compares each step's audit entries with the history, and with a GET request for the
 * record before and after the step. The comparison is independent of the code that creates entries and changes.
 */

type Members = Readonly<Record<string, unknown>>;
type Step = {
  /** Route, as written in the route table. */
  readonly route: string;
  readonly address?: string;
  readonly token?: string;
  readonly key?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Path of the GET request that is sent before and after the step. This is the record's path, or a list's path
   * followed by `#` and the record's id. False if the record cannot be read.
   */
  readonly look?: string | false;
  readonly status?: number;
};
type Deed = Step & {
  readonly requestId: string;
  readonly answer: unknown;
  readonly answered: number;
  /** Names of the response headers. */
  readonly told: readonly string[];
  /** Cookies that a browser would send with subsequent requests. */
  readonly cookie: string;
  readonly before: Members | undefined;
  readonly after: Members | undefined;
};

/** Names of standard headers, which the API document need not list. */
const ORDINARY: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'cache-control', 'referrer-policy'],
  ...['content-security-policy', 'cross-origin-resource-policy', 'x-content-type-options'],
]);
const AGENT = 'audit-walk/1.0';
const JOINED: readonly string[] = [
  ...[
    'id',
    'createdAt',
    'updatedAt',
    'revision',
    'balance',
    'accountId',
    'customerName',
    'documentDate',
    'accountName',
    'categoryName',
    'createdByName',
  ],
  ...['ruleCount', 'userCount', 'permissionCount', 'lastLoginAt', 'lastUsedAt', 'hitCount', 'lastMatchedAt', 'payload'],
];

const PASSWORDS = {
  owner: 'Zebra-owner-9f1',
  second: 'Zebra-second-9f2',
  user: 'Zebra-user-9f3',
  reset: 'Zebra-reset-9f4',
  operator: 'Zebra-operator-9f5',
  wrong: 'Zebra-wrong-9f6',
};
/**
 * Subjects of audit entries, and actions other than UPDATE with their event types, as specified by the API contract.
 */
const ENTITIES: readonly string[] = [
  ...[
    'customer',
    'account',
    'transaction',
    'category',
    'category-rule',
    'rule-application',
    'user',
    'role',
    'branch',
    'tenant',
    'operator',
  ],
  ...['session', 'sale', 'integration-key', 'notification', 'dead-letter', 'job', 'error-log', 'projection'],
  ...['forwarder', 'policy', 'webhook', 'factor', 'inspection'],
];
const ACTIONS: readonly (readonly [action: string, types: RegExp])[] = [
  ['LOGIN', /^SessionStarted$/],
  ['LOGOUT', /^SessionEnded$/],
  [
    'OTHER',
    /^LoginFailed$|^FactorRefused$|^SessionVerified$|^RecoveryCodeUsed$|^Job|^RuleApplication|Replay|Rebuil|Rewind|Downloaded$|^HistoryRead$|^EventsRead$|^Webhook.*(?:Tested|Requested)$/,
  ],
  ['CREATE', /(?:Created|Added|Accepted|Parked|Sent|Subscribed)$|^TransactionRecorded$|ReplacementRecorded$/],
  ['DELETE', /(?:Deleted|FactorRemoved|Archived|Revoked|Unsubscribed)$/],
];
/** Values that neither the audit log nor the history may reveal, by kind. */
const secrets = new Map<string, string>(Object.entries(PASSWORDS));

let service: TestService;
let operator: string;
let issuer: OidcIssuer;
const deeds: Deed[] = [];
let history: RecordedEvent[] = [];

async function lookAt(path: string, token: string | undefined): Promise<Members | undefined> {
  const [address = '', id] = path.split('#');
  const reply = await service.get(address, token);
  if (id === undefined) return reply.status === 404 ? undefined : (reply.data as Members);
  const { data, items = data } = reply.body as { data?: Members[]; items?: Members[] };
  return items?.find((record) => record['id'] === id);
}

async function take(step: Step): Promise<Deed> {
  const { route, token = operator, key, body, headers, look = false, status } = step;
  const [method = '', path = ''] = route.split(' ');
  const address = step.address ?? path;
  const requestId = `walk-${deeds.length}`;
  const before = look === false ? undefined : await lookAt(look, token);
  const reply = await service.call(method as 'POST', address, {
    headers: { 'x-request-id': requestId, 'user-agent': AGENT, ...headers },
    ...(key === undefined ? { token } : { key }),
    ...(body !== undefined && { body }),
  });
  const expected = status ?? Number(routeTable.find(({ name }) => name === route)?.success);
  expect([route, reply.status, reply.status === expected ? '' : reply.text]).toEqual([route, expected, '']);
  const { data = reply.body } = reply.body as { data?: unknown };
  await service.quiet();
  const made = (data as { id?: string } | null)?.id ?? '';
  const after = look === false ? undefined : await lookAt(look.replace('{id}', made), token);
  const cookie = reply.headers['set-cookie']?.split(';')[0] ?? '';
  const seen = { before, after, look: look && look.replace('{id}', made) };
  const deed = {
    ...step,
    requestId,
    answer: data,
    answered: reply.status,
    told: Object.keys(reply.headers),
    cookie,
    ...seen,
  };
  deeds.push(deed);
  return deed;
}

const idOf = ({ answer }: Deed): string => (answer as { id: string }).id;
/** Remembers the tokens from a sign-in, which must never be revealed. */
function tokensOf({ answer }: Deed, name: string): { accessToken: string; refreshToken: string } {
  const tokens = answer as { accessToken: string; refreshToken: string };
  secrets.set(`access token ${name}`, tokens.accessToken).set(`refresh token ${name}`, tokens.refreshToken);
  return tokens;
}
function keyOf({ answer }: Deed, name: string): string {
  const { key } = answer as { key: string };
  secrets.set(`key ${name}`, key).set(`secret of key ${name}`, parseIntegrationKey(key)?.secret ?? key);
  return key;
}

/** Creates a record at `path`. Returns its id. */
async function createAt(path: string, token: string, body: object): Promise<string> {
  return idOf(await take({ route: `POST ${path}`, token, body, look: `${path}/{id}` }));
}
const change = (method: string, path: string, id: string, token: string, body?: object, rest = ''): Promise<Deed> =>
  take({
    route: `${method} ${path}/{id}${rest}`,
    address: `${path}/${id}${rest}`,
    token,
    look: `${path}/${id}`,
    ...(body && { body }),
  });

async function walkPlatform(): Promise<TestTenant> {
  const owner = { fullName: 'Olga Owner', email: 'olga@walk.test', password: PASSWORDS.owner };
  const body = { name: 'Walk Ltd', slug: 'walk', currency: 'EUR', timeZone: 'UTC', owner };
  const id = await createAt('/api/platform/tenants', operator, body);
  await change('PATCH', '/api/platform/tenants', id, operator, { name: 'Walk & Co' });
  const login = await take({
    route: 'POST /api/auth/login',
    body: { email: owner.email, password: PASSWORDS.owner },
  });
  const { accessToken: token } = tokensOf(login, 'owner');
  const oidcDomains = [{ issuer: issuer.url, domain: 'walk.test' }];
  await take({ route: 'PATCH /api/settings', token, body: { oidcDomains } });
  await take({ route: 'POST /api/periods/close', token, body: { through: '2020-12-31', note: 'Done.' } });
  await take({ route: 'POST /api/periods/reopen', token, body: { through: null, reason: 'A bill was missing.' } });
  const newcomer = { fullName: 'Otto Operator', email: 'otto@kontor.test', password: PASSWORDS.operator };
  const operators = '/api/platform/operators';
  const made = await take({ route: `POST ${operators}`, body: newcomer, look: `${operators}#{id}` });
  const look = `${operators}#${idOf(made)}`;
  const { accessToken } = tokensOf(
    await take({ route: 'POST /api/auth/login', body: { email: newcomer.email, password: newcomer.password } }),
    'operator, without a factor',
  );
  await AuthenticatorApp.addTo(service, accessToken);
  const reset = `${operators}/${idOf(made)}/remove-factors`;
  await take({ route: `POST ${operators}/{id}/remove-factors`, address: reset, look, body: { reason: 'Lost.' } });
  await take({ route: `DELETE ${operators}/{id}`, address: `${operators}/${idOf(made)}`, look });
  return { id, slug: 'walk', currency: 'EUR', email: owner.email, token };
}

async function walkPeople(tenant: TestTenant): Promise<void> {
  const { token } = tenant;
  const roleId = await createAt('/api/roles', token, { name: 'Clerk', permissions: ['branches.read'] });
  await change('PATCH', '/api/roles', roleId, token, { name: 'Senior clerk', description: 'Knows it all.' });
  await change('PATCH', '/api/roles', roleId, token, { permissions: ['branches.write'] }, '/permissions');
  const person = { fullName: 'Uma User', email: 'uma@walk.test', password: PASSWORDS.user, role: 'USER' };
  const userId = await createAt('/api/users', token, { ...person, roleIds: [roleId], phone: '+49 30 123' });
  await change('PATCH', '/api/users', userId, token, { role: 'ADMIN', phone: null, roleIds: [], isActive: false });
  await change('PATCH', '/api/users', userId, token, { isActive: true });
  const users = { token, look: `/api/users/${userId}` };
  await take({
    route: 'POST /api/users/{id}/password',
    address: `/api/users/${userId}/password`,
    ...users,
    body: { newPassword: PASSWORDS.reset },
  });
  const invited = await take({
    route: 'POST /api/users/{id}/invitation',
    address: `/api/users/${userId}/invitation`,
    ...users,
  });
  const { code } = invited.answer as { code: string };
  const identity = await issuer.token('uma@issuer.test');
  await take({ route: 'POST /api/auth/oidc/bind', token: identity, body: { code } });
  secrets.set('code of the invitation', code).set("token of the user's provider", identity);
  const login = { email: person.email, password: PASSWORDS.reset };
  const first = tokensOf(await take({ route: 'POST /api/auth/login', body: login }), 'user');
  const fresh = await take({ route: 'POST /api/auth/refresh', body: { refreshToken: first.refreshToken } });
  const { accessToken: own } = tokensOf(fresh, 'user, refreshed');
  const me = `/api/users/${userId}`;
  await take({ route: 'PATCH /api/users/me/profile', token: own, body: { fullName: 'Uma Umbra' }, look: me });
  await take({
    route: 'POST /api/auth/change-password',
    token: own,
    body: { currentPassword: PASSWORDS.reset, newPassword: PASSWORDS.second },
  });
  await take({ route: 'POST /api/auth/logout', token: own });
  await walkBrowser({ email: person.email, password: PASSWORDS.second });
  await walkFactors({ email: person.email, password: PASSWORDS.second });
  const last = await take({ route: 'POST /api/auth/login', body: { email: person.email, password: PASSWORDS.second } });
  await AuthenticatorApp.addTo(service, tokensOf(last, 'user, once more').accessToken);
  await take({
    route: 'POST /api/users/{id}/remove-factors',
    address: `/api/users/${userId}/remove-factors`,
    ...users,
    body: { reason: 'The phone was lost.' },
  });
  await take({
    route: 'POST /api/auth/login',
    body: { email: person.email, password: PASSWORDS.wrong },
    status: 401,
  });
  await change('DELETE', '/api/users', userId, token);
  await change('DELETE', '/api/roles', roleId, token);
}

/** Adds and uses a second factor, performs a step-up, and ends another session. */
async function walkFactors(login: object): Promise<void> {
  const begun = tokensOf(await take({ route: 'POST /api/auth/login', body: login }), 'user, without a factor');
  const factors = '/api/auth/factors';
  const { accessToken: token } = begun;
  const added = await take({ route: `POST ${factors}`, token, body: { type: 'TOTP' } });
  const id = idOf(added);
  const { secret } = added.answer as { secret: string };
  secrets.set('secret of the app', secret).set('secret of the app, decoded', decodedSecret(secret));
  const code = codeAt(decodedSecret(secret), stepAt(service.clock.nowMs()));
  const address = `${factors}/${id}/confirm`;
  const confirmed = await take({ route: `POST ${factors}/{id}/confirm`, address, token, body: { code } });
  const { recoveryCodes } = confirmed.answer as { recoveryCodes: string[] };
  for (const [at, one] of recoveryCodes.entries()) secrets.set(`recovery code ${at}`, one);
  const asked = await take({ route: 'POST /api/auth/login', body: login });
  const { factorToken } = asked.answer as { factorToken: string };
  secrets.set('factor token', factorToken);
  const second = 'POST /api/auth/login/factor';
  await take({ route: second, body: { factorToken, code }, status: 401 });
  const done = await take({ route: second, body: { factorToken, recoveryCode: recoveryCodes[0] } });
  const own = tokensOf(done, 'user, with a factor').accessToken;
  await take({ route: 'POST /api/auth/step-up', token: own, body: { recoveryCode: recoveryCodes[1] } });
  const sessionId = String(decodeJwt(token)['sid']);
  const session = '/api/auth/sessions';
  await take({ route: `DELETE ${session}/{id}`, address: `${session}/${sessionId}`, token: own });
  await take({ route: `DELETE ${factors}/{id}`, address: `${factors}/${id}`, token: own });
}

/** Creates and renews a session whose refresh token is in a cookie. */
async function walkBrowser(body: object): Promise<void> {
  const session = '/console/session';
  const begun = await take({ route: `POST ${session}`, body });
  const renewed = await take({ route: `POST ${session}/refresh`, body: {}, headers: { cookie: begun.cookie } });
  for (const [name, { answer, cookie }] of Object.entries({ begun, renewed })) {
    const { accessToken } = answer as { accessToken: string };
    secrets.set(`access token, ${name}`, accessToken).set(`cookie, ${name}`, cookie.replace(/^[^=]*=/, ''));
  }
  await take({ route: `DELETE ${session}`, token: (renewed.answer as { accessToken: string }).accessToken });
}

async function walkRecords({ token }: TestTenant): Promise<void> {
  const branchId = await createAt('/api/branches', token, { code: 'NORTH', name: 'North', phone: '030 1' });
  await change('PATCH', '/api/branches', branchId, token, { name: 'Far north', isActive: false });
  const openingBalance = { amount: '50.00', direction: 'OUT', date: '2026-01-01' };
  const body = { name: 'Ada Ltd', taxNumber: '123', email: 'ada@walk.test', openingBalance };
  const customerId = await createAt('/api/customers', token, body);
  await change('PATCH', '/api/customers', customerId, token, { name: 'Ada GmbH', taxNumber: null, status: 'PASSIVE' });
  await change('PATCH', '/api/customers', customerId, token, { status: 'ACTIVE' });
  const deletedId = await createAt('/api/customers', token, { name: 'Nobody' });
  await change('DELETE', '/api/customers', deletedId, token);

  const accountId = await createAt('/api/accounts', token, { type: 'CASH', name: 'Till', isDefault: true });
  await change('PATCH', '/api/accounts', accountId, token, { name: 'Drawer', code: '109', isDefault: false });
  await change('PATCH', '/api/accounts', accountId, token, { isActive: false });
  await change('PATCH', '/api/accounts', accountId, token, { isActive: true });
  const spareId = await createAt('/api/accounts', token, { type: 'BANK', name: 'Spare' });
  await change('DELETE', '/api/accounts', spareId, token);

  const category = { name: 'Consulting', direction: 'BOTH' };
  const categories = '/api/transaction-categories';
  const listed = `${categories}?includeArchived=true#`;
  const made = await take({ route: `POST ${categories}`, token, body: category, look: `${listed}{id}` });
  const categoryId = idOf(made);
  const look = `${listed}${categoryId}`;
  for (const [method, rest, patch] of [
    ['PATCH', '', { name: 'Advice', color: '#12AB34' }],
    ['DELETE', '', undefined],
    ['PATCH', '/restore', undefined],
  ] as const) {
    const address = `${categories}/${categoryId}${rest}`;
    await take({ route: `${method} ${categories}/{id}${rest}`, address, token, look, ...(patch && { body: patch }) });
  }
  const rules = `${categories}/rules`;
  const ruleId = await createAt(rules, token, { categoryId, keyword: 'advice', priority: 5 });
  await change('PATCH', rules, ruleId, token, { keyword: 'counsel', notes: 'Renamed.' });
  const started = await take({
    route: `POST ${rules}/{id}/apply`,
    address: `${rules}/${ruleId}/apply`,
    token,
    body: { dryRun: false },
    status: 201,
  });
  const { applicationId } = started.answer as { applicationId: string };
  await service.quiet();
  await take({
    route: `POST ${rules}/applications/{id}/undo`,
    address: `${rules}/applications/${applicationId}/undo`,
    token,
  });
  await change('PATCH', rules, ruleId, token, { isEnabled: false }, '/disable');
  await change('PATCH', rules, ruleId, token, { priority: 7 }, '/priority');
  await take({ route: `POST ${rules}/test`, token, body: { description: 'counsel' } });
  await change('DELETE', rules, ruleId, token);
  await walkTransactions(token, { customerId, accountId, categoryId });
}

type Known = { readonly customerId: string; readonly accountId: string; readonly categoryId: string };

async function walkTransactions(token: string, { customerId, accountId, categoryId }: Known): Promise<void> {
  const path = '/api/transactions';
  const collection = { type: 'COLLECTION', date: '2026-02-03', amount: '12.50', customerId, accountId };
  const id = await createAt(path, token, collection);
  await change('PATCH', path, id, token, { categoryId }, '/category');
  await change('POST', path, id, token, { reason: 'Typed twice.' }, '/cancel');
  const { items } = await service.transactions(token, 'type=OPENING_BALANCE');
  const opening = items[0]?.id ?? '';
  await change('PATCH', path, opening, token, { categoryId }, '/category');
  await change('POST', path, opening, token, { reason: 'Never was.' }, '/cancel');
  const corrected = await createAt(path, token, collection);
  const replacement = { ...collection, amount: '21.50' };
  await change('POST', path, corrected, token, { reason: 'Digits swapped.', replacement }, '/correct');
}

async function walkWebhooks({ token }: TestTenant): Promise<void> {
  const path = '/api/webhooks';
  const receiver = await WebhookReceiver.start();
  const body = { url: receiver.urlOf('/'), types: ['kontor.branch.created.v1'] };
  const id = await createAt(path, token, body);
  await service.post('/api/branches', { code: 'HOOK', name: 'Heard of' }, token);
  const delivery = await eventually(async () => {
    const { items } = (await service.get(`${path}/${id}/deliveries`, token)).body as Page<{ id: string }>;
    return items[0];
  }, 10_000);
  await change('PATCH', path, id, token, { description: 'Ours', types: ['kontor.*'] });
  await change('PATCH', path, id, token, { isEnabled: false });
  await change('PATCH', path, id, token, { isEnabled: true });
  for (const what of ['rotate-secret', 'test'])
    await take({ route: `POST ${path}/{id}/${what}`, address: `${path}/${id}/${what}`, token });
  const [resend, recover] = [`deliveries/${delivery.id}/resend`, 'recover'];
  await take({ route: `POST ${path}/{id}/deliveries/{deliveryId}/resend`, address: `${path}/${id}/${resend}`, token });
  const since = { since: '2026-01-01T00:00:00.000Z' };
  await take({ route: `POST ${path}/{id}/recover`, address: `${path}/${id}/${recover}`, token, body: since });
  await change('DELETE', path, id, token);
  await receiver.close();
}

async function walkPartners({ id: tenantId, token }: TestTenant): Promise<void> {
  const keys = '/api/integration-keys';
  const made = await take({
    route: `POST ${keys}`,
    token,
    body: { name: 'The shop', sourceId: 'shop' },
    look: `${keys}#{id}`,
  });
  keyOf(made, 'first');
  const keyId = idOf(made);
  const rotated = await take({ route: `POST ${keys}/{id}/rotate`, address: `${keys}/${keyId}/rotate`, token });
  const key = keyOf(rotated, 'second');
  const limits = '/api/platform/integration-keys';
  await take({ route: `PATCH ${limits}/{id}`, address: `${limits}/${keyId}`, body: { rateLimit: 600 } });

  const route = 'POST /api/integrations/v1/sales';
  const customer = { name: 'Wanda Walk-in', externalId: 'wanda' };
  const payments = [{ method: 'CARD', amount: '40.00' }];
  const sale = { ...saleOf('first', { customer, payments }), metadata: { till: 'seven' } };
  await take({ route, key, body: sale });
  await service.settled({ id: keyId, sourceId: 'shop', key }, 'first');
  const { items } = await service.transactions(token, 'type=INVOICE');
  const { data } = await service.get('/api/transaction-categories', token);
  const categoryId = (data as { id: string; direction: string }[]).find(({ direction }) => direction === 'BOTH')?.id;
  await change('PATCH', '/api/transactions', items[0]?.id ?? '', token, { categoryId }, '/category');
  const lines = [{ description: 'Back', quantity: 1, unitPrice: '10.00' }];
  await take({ route, key, body: saleOf('back', { type: 'RETURN', relatedExternalId: 'first', lines }) });
  await take({ route: `${route}/batch`, key, body: { sales: [saleOf('batched')] } });
  for (const externalId of ['lost', 'gone']) {
    await take({ route, key, body: saleOf(externalId, { branchCode: 'NOWHERE' }) });
    await service.settled({ id: keyId, sourceId: 'shop', key }, externalId);
  }
  await service.quiet();
  const letters = '/api/platform/dead-letters';
  const parked = (
    (await service.get(`${letters}?tenantId=${tenantId}`, operator)).body as Page<{ id: string; saleId: string }>
  ).items;
  await change('POST', letters, parked[0]?.id ?? '', operator, undefined, '/replay');
  await change('POST', letters, parked[1]?.id ?? '', operator, { reason: 'A test.' }, '/discard');
  await take({ route: 'POST /api/branches', token, body: { code: 'NOWHERE', name: 'Found' } });
  const retried = `/api/sales/${parked[1]?.saleId ?? ''}/retry`;
  await take({ route: 'POST /api/sales/{id}/retry', address: retried, token });
  await take({ route: 'POST /api/sales', token, body: saleOf('by-hand') });
  const forwarders = '/api/platform/forwarders';
  const ask = (method: 'POST' | 'DELETE', what: string, body?: object): Promise<Deed> =>
    take({
      route: `${method} ${forwarders}/{name}/${what}`,
      address: `${forwarders}/integration-events/${what}`,
      ...(body && { body }),
    });
  await ask('POST', 'pause');
  await ask('POST', 'rewind', { position: await service.service.engines.events.head() });
  await ask('DELETE', 'rewind');
  await ask('POST', 'resume', { from: 'now' });
  for (const what of ['pause', 'resume'])
    await take({
      route: `POST /api/platform/policies/{name}/${what}`,
      address: `/api/platform/policies/notification/${what}`,
    });
  await walkRuns(letters);
  await take({ route: `DELETE ${keys}/{id}`, address: `${keys}/${keyId}`, token, look: `${keys}#${keyId}` });
}

/** Starts bulk runs on dead letters and controls a run that continues until it is cancelled. */
async function walkRuns(letters: string): Promise<void> {
  const none = { filter: { code: 'NONE' }, dryRun: false };
  const status = 201;
  await take({ route: `POST ${letters}/replay`, body: none, status });
  await take({ route: `POST ${letters}/discard`, body: { ...none, reason: 'A test.' }, status });
  addJob(service, new ToyJob('walk', '0 3 * * *', true));
  const jobs = '/api/platform/jobs';
  const started = await take({ route: `POST ${jobs}/trigger`, body: { jobName: 'walk' } });
  const { executionLogId } = started.answer as { executionLogId: string };
  for (const what of ['pause', 'resume', 'cancel'])
    await take({
      route: `POST ${jobs}/execution/{executionLogId}/${what}`,
      address: `${jobs}/execution/${executionLogId}/${what}`,
    });
}

const waitFor = <T>(look: () => Promise<T | undefined | false>): Promise<T> => eventually(look, 20_000);

async function walkNotifications({ token }: TestTenant): Promise<void> {
  const path = '/api/notifications';
  const browser = new Browser('https://push.invalid/walk');
  secrets.set('endpoint', browser.endpoint).set('p256dh', browser.keys.p256dh).set('auth', browser.keys.auth);
  const route = `${path}/push-subscriptions`;
  await take({ route: `POST ${route}`, token, body: browser.subscription });
  await take({ route: `DELETE ${route}`, token, body: { endpoint: browser.endpoint } });
  const body = { title: 'Stocktaking', body: 'On Friday.', broadcast: true };
  const sent = await take({ route: `POST ${path}/admin/send`, token, body });
  const { notificationId } = sent.answer as { notificationId: string };
  await take({ route: `PATCH ${path}/{id}/read`, address: `${path}/${notificationId}/read`, token });
  await take({ route: `POST ${path}/admin/send`, token, body });
  await take({ route: `PATCH ${path}/read-all`, token });
}

async function walkOperations(): Promise<void> {
  const jobs = '/api/platform/jobs';
  await take({ route: `POST ${jobs}/trigger`, body: { jobName: 'session-cleanup' } });
  await waitFor(async () => {
    const all = (await service.get(jobs, operator)).data as { isRunning: boolean }[];
    return all.every(({ isRunning }) => !isRunning);
  });

  const errors = '/api/platform/error-logs';
  service.service.engines.errors.note({ fingerprint: 'walk', level: 'WARN', message: 'It is tried again.' });
  const { id } = await waitFor(
    async () => ((await service.get(errors, operator)).body as Page<{ id: string }>).items[0],
  );
  await change('PATCH', errors, id, operator, undefined, '/resolve');

  const cache = '/api/platform/redis/cache';
  await take({ route: `DELETE ${cache}/{pattern}`, address: `${cache}/nothing*` });

  const projections = '/api/platform/projections';
  type Row = { name: string; rebuild: unknown };
  const rows = async (): Promise<Row[]> => (await service.get(projections, operator)).data as Row[];
  const ended = () => waitFor(async () => (await rows()).every(({ rebuild }) => rebuild === null));
  const route = `${projections}/{name}/rebuild`;
  await take({ route: `POST ${route}`, address: `${projections}/roles/rebuild` });
  await ended();
  // Rebuilds run one after another. The last rebuild waits for the others, so it can be cancelled.
  for (const { name } of await rows()) await service.post(`${projections}/${name}/rebuild`, undefined, operator);
  await take({ route: `DELETE ${route}`, address: `${projections}/${(await rows()).at(-1)?.name ?? ''}/rebuild` });
  await ended();
}

beforeAll(async () => {
  issuer = await OidcIssuer.start();
  service = await TestService.start({
    environment: { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: 'kontor-api', WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  operator = await service.operator();
  secrets.set('password of the operator', OPERATOR.password).set('token of the operator', operator);
  const tenant = await walkPlatform();
  await walkPeople(tenant);
  await walkRecords(tenant);
  await walkPartners(tenant);
  await walkWebhooks(tenant);
  await walkNotifications(tenant);
  await walkOperations();
  // A rejected sign-in is recorded shortly after its response.
  const { events } = service.service.engines;
  for (const late of ['LoginFailed', 'FactorRefused'])
    await waitFor(async () => (await events.readAll({ maxCount: 1_000_000 })).some(({ type }) => type === late));
  await service.quiet();
  history = [...(await service.service.engines.events.readAll({ maxCount: 1_000_000 }))];
});
afterAll(async () => {
  await service.close();
  await issuer.close();
});

const list = async (query: string): Promise<Page<AuditLogRecord>> => {
  const reply = await service.get(`/api/platform/audit-logs?${query}`, operator);
  expect([query, reply.status]).toEqual([query, 200]);
  return reply.body as Page<AuditLogRecord>;
};
async function listAll(query = ''): Promise<AuditLogRecord[]> {
  const entries: AuditLogRecord[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    const page = await list(`pageSize=100&pageNumber=${pageNumber}&${query}`);
    entries.push(...page.items);
    if (!page.hasNextPage) return entries;
  }
}
const detail = async (id: string): Promise<AuditLogDetail> =>
  (await service.get(`/api/platform/audit-logs/${id}`, operator)).data as AuditLogDetail;

const metadataOf = ({ metadata }: RecordedEvent): EventMetadata => metadata as EventMetadata;
const isDomain = ({ type }: RecordedEvent): boolean => (catalogue.types.get(type)?.audit ?? null) !== null;
const eventsOf = ({ requestId }: Deed): RecordedEvent[] =>
  history.filter((event) => metadataOf(event).requestId === requestId);

describe('The audited walk', () => {
  test('covers every route that writes: a new one needs a step here', () => {
    const document = new ApiDocument(service.service.openApi());
    const writes = document.names.filter((name) => !name.startsWith('GET '));
    expect([...new Set(deeds.map(({ route }) => route))].sort()).toEqual(writes.sort());
  });

  test('records events in every step except reads and repeated changes', () => {
    const silent = deeds.filter((deed) => eventsOf(deed).length === 0).map(({ route }) => route);
    expect(silent).toEqual([
      // This login request only begins a sign-in that requires a second factor, so it records no event.
      'POST /api/auth/login',
      'POST /api/transaction-categories/rules/test',
      'DELETE /api/platform/redis/cache/{pattern}',
    ]);
  });
});

test('The document lists every response header', () => {
  const document = new ApiDocument(service.service.openApi());
  for (const { route, answered, told } of deeds) {
    const { all, required } = document.headersOf(route, answered);
    const unknown = told.filter((name) => !ORDINARY.has(name) && !all.includes(name));
    expect([route, unknown, required.filter((name) => !told.includes(name))]).toEqual([route, [], []]);
  }
});

describe('The audit log', () => {
  test('has exactly one entry for every business event, and none for internal events', async () => {
    const entries = await listAll();
    expect(entries.map(({ id }) => id).sort()).toEqual(
      history
        .filter(isDomain)
        .map(({ id }) => id)
        .sort(),
    );
    expect(history.some((event) => !isDomain(event))).toBe(true);
  });

  test('shows the content of every event, and the caller and origin of every request', async () => {
    const entries = new Map((await listAll()).map((entry) => [entry.id, entry]));
    const names = new Map<string, string>();
    for (const { type, stream, data } of history) {
      const { fullName, changes } = data as { fullName?: string; changes?: { fullName?: string } };
      const name = fullName ?? changes?.fullName;
      if (/^(User|Operator)(Created|Updated)$/.test(type) && name) names.set(stream.split('_')[1] ?? '', name);
    }
    for (const event of history.filter(isDomain)) {
      const metadata = metadataOf(event);
      const { userId, operatorId, sourceId, system, ip, userAgent } = metadata;
      const { userId: named } = event.data as { userId?: string };
      const actor = userId ?? operatorId ?? ((sourceId ?? system) ? null : (named ?? null));
      const automatic = sourceId === undefined ? system && `system:${system}` : `partner:${sourceId}`;
      const audit = catalogue.types.get(event.type)?.audit;
      expect(entries.get(event.id)).toMatchObject({
        occurredAt: metadata.timestamp,
        tenantId: metadata.tenantId,
        tenantName: metadata.tenantId === 'platform' ? null : 'Walk & Co',
        branchId: metadata.branchId ?? null,
        userId: actor,
        userName: (actor === null ? automatic : names.get(actor)) ?? null,
        action: audit?.action,
        // The audit entry for an operator's read refers to the record that was read.
        entity: event.type === 'HistoryRead' ? (event.data as { entity: string }).entity : audit?.entity,
        eventType: event.type,
        requestId: metadata.requestId,
        ipAddress: ip ?? null,
        userAgent: userAgent ?? null,
        revision: event.revision,
        position: event.position,
      });
    }
  });

  test('describes each kind of event as the contract specifies', () => {
    const audited = [...catalogue.types].flatMap(([type, { audit }]) => (audit ? [{ type, ...audit }] : []));
    expect(audited.filter(({ entity }) => !ENTITIES.includes(entity)).map(({ type }) => type)).toEqual([]);
    const { description } = (
      JSON.parse(service.service.openApi()) as {
        components: { schemas: { AuditLogDto: { properties: { entity: { description: string } } } } };
      }
    ).components.schemas.AuditLogDto.properties.entity;
    expect(ENTITIES.filter((entity) => !new RegExp(`\\b${entity}[,. ]`).test(description))).toEqual([]);
    const actionOf = (type: string): string => ACTIONS.find(([, form]) => form.test(type))?.[0] ?? 'UPDATE';
    expect(audited.map(({ type, action }) => [type, action])).toEqual(
      audited.map(({ type }) => [type, actionOf(type)]),
    );
  });

  test('finds everything caused by a request, with its address and user agent', async () => {
    for (const deed of deeds) {
      const found = await listAll(`search=${deed.requestId}`);
      const own = found.filter(({ requestId }) => requestId === deed.requestId);
      expect([deed.route, own.map(({ id }) => id).sort()]).toEqual([
        deed.route,
        eventsOf(deed)
          .filter(isDomain)
          .map(({ id }) => id)
          .sort(),
      ]);
      for (const { id, userAgent, ipAddress } of own) {
        const { system } = metadataOf(history.find((event) => event.id === id) as RecordedEvent);
        const expected = system === undefined ? [AGENT, '127.0.0.1'] : [null, null];
        expect([deed.route, userAgent, ipAddress]).toEqual([deed.route, ...expected]);
      }
    }
  });

  test('returns the revision of an entry as its ETag', async () => {
    const event = history.filter(isDomain).find(({ revision }) => revision > 0);
    const entry = await service.get(`/api/platform/audit-logs/${event?.id ?? ''}`, operator);
    expect(entry.headers['etag']).toBe(`"${event?.revision ?? ''}"`);
  });

  test('is available to operators only', async () => {
    const tenant = await service.createTenant();
    for (const path of ['', `/${history[0]?.id ?? ''}`])
      expect((await service.get(`/api/platform/audit-logs${path}`, tenant.token)).told).toBe('403 FORBIDDEN');
  });
});

/** Returns the first field name in a path. */
const memberOf = (path: string): string => path.split(/[.[]/)[0] ?? '';
const textOf = (value: unknown): string => JSON.stringify(value ?? null);

describe('The changes in an entry', () => {
  test('match a GET of the record before and after', async () => {
    let compared = 0;
    for (const deed of deeds.filter(({ look }) => look !== false && look !== undefined)) {
      const { before = {}, after = {}, route, look } = deed;
      const recordId = (look as string).split(/[/#]/).at(-1);
      const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        (name) => !(JOINED.includes(name) || (name === 'isSystem' && route.includes('/roles'))),
      );
      const differing = members.filter((name) => textOf(before[name]) !== textOf(after[name]));
      const entries = (await listAll(`search=${deed.requestId}`)).filter(
        ({ entityId, requestId }) => entityId === recordId && requestId === deed.requestId,
      );
      const changes = (await Promise.all(entries.reverse().map(({ id }) => detail(id)))).flatMap((one) => one.changes);
      const told = [...new Set(changes.map(({ path }) => memberOf(path)).filter((name) => members.includes(name)))];
      expect([route, told.sort()]).toEqual([route, differing.sort()]);
      for (const name of differing) {
        const own = changes.filter(({ path }) => path === name);
        if (own.length === 0) continue;
        expect([route, name, own[0]?.before, own.at(-1)?.after]).toEqual([
          route,
          name,
          before[name] ?? null,
          after[name] ?? null,
        ]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  const changesOf = async (
    type: string,
    isMeant: (data: { readonly name?: string }) => boolean = () => true,
  ): Promise<AuditLogDetail['changes']> => {
    const isOfWalk = (event: RecordedEvent): boolean => metadataOf(event).requestId.startsWith('walk');
    const found = history.find((event) => event.type === type && isOfWalk(event) && isMeant(event.data));
    return (await detail(found?.id ?? '')).changes;
  };

  test('are shown for records without a GET: sales, sessions, keys, defaults, rewinds', async () => {
    expect(await changesOf('SaleAccepted')).toEqual(
      expect.arrayContaining([
        { path: 'status', before: null, after: 'ACCEPTED' },
        { path: 'total', before: null, after: '100.00' },
        { path: 'lines[0].description', before: null, after: 'Goods' },
        { path: 'metadata.till', before: null, after: 'seven' },
        { path: 'customer.name', before: null, after: 'Wanda Walk-in' },
      ]),
    );
    expect(await changesOf('SaleBooked')).toEqual(
      expect.arrayContaining([
        { path: 'status', before: 'ACCEPTED', after: 'BOOKED' },
        { path: 'transactions[0].amount', before: null, after: '100.00' },
        { path: 'transactions[1].type', before: null, after: 'COLLECTION' },
      ]),
    );
    expect(await changesOf('SaleRejected')).toEqual(
      expect.arrayContaining([{ path: 'rejection.code', before: null, after: 'BRANCH_UNKNOWN' }]),
    );
    expect(await changesOf('SessionEnded')).toEqual(
      expect.arrayContaining([
        { path: 'status', before: 'active', after: 'ended' },
        { path: 'endReason', before: null, after: 'LOGOUT' },
      ]),
    );
    expect(await changesOf('IntegrationKeyRateLimitSet')).toEqual([{ path: 'rateLimit', before: 60, after: 600 }]);
    expect(await changesOf('IntegrationKeyRotated')).toEqual([]);
    expect(await changesOf('DefaultAccountSet')).toEqual(
      expect.arrayContaining([{ path: 'isDefault', before: false, after: true }]),
    );
    const rewound = (await changesOf('ForwarderRewindRequested')).map(({ path }) => path);
    expect(rewound).toEqual(expect.arrayContaining(['rewinds[0].from.position', 'rewinds[0].upTo', 'from.position']));
    expect(await changesOf('CustomerCreated', ({ name }) => name === 'Ada Ltd')).toEqual(
      expect.arrayContaining([{ path: 'openingTransaction.amount', before: null, after: '50.00' }]),
    );
  });

  test('are shown for transactions stored on the stream of a sale or a customer', async () => {
    const categories = await Promise.all(
      ['TransactionCategorized', 'OpeningBalanceCategorized', 'SaleTransactionCategorized'].map((type) =>
        changesOf(type),
      ),
    );
    for (const changes of categories)
      expect(changes).toEqual([{ path: 'categoryId', before: null, after: expect.any(String) as string }]);
    for (const type of ['TransactionCancelled', 'OpeningBalanceCancelled'])
      expect(await changesOf(type)).toEqual(
        expect.arrayContaining([
          { path: 'isCancelled', before: false, after: true },
          { path: 'reversedBy.reason', before: null, after: expect.any(String) as string },
        ]),
      );
  });
});

test('The audit log, histories and states show no password, token, key or digest', async () => {
  for (const { type, data } of history)
    for (const [name, value] of Object.entries({ ...data, ...(data as { owner?: object }).owner }))
      if (/hash$/i.test(name)) secrets.set(`${type}.${name}`, value as string);
  expect(secrets.size).toBeGreaterThan(18);
  const shown: [string, string][] = [];
  const ask = async (path: string): Promise<void> => {
    const reply = await service.get(path, operator);
    expect([path, reply.status]).toEqual([path, 200]);
    shown.push([path, reply.text]);
  };
  const entries = await listAll();
  for (const { id } of entries) await ask(`/api/platform/audit-logs/${id}`);
  shown.push(['the list', JSON.stringify(entries)]);
  for (const stream of new Set(history.filter(isDomain).map((event) => event.stream))) {
    const [, entity = '', tenantId = '', id = ''] = /^(.+?)-(platform|[0-9a-f-]{36})_(.+)$/.exec(stream) ?? [];
    const path = `/api/platform/streams/${entity}/${id}`;
    await ask(`${path}/events?tenantId=${tenantId}&pageSize=100`);
    await ask(`${path}/state?tenantId=${tenantId}`);
    await ask(`${path}/state?tenantId=${tenantId}&at=0`);
  }
  for (const [path, text] of shown)
    for (const [name, secret] of secrets) expect([path, name, text.includes(secret)]).toEqual([path, name, false]);
  // Proves that the search for secrets works: it also finds values that are not secret.
  expect(shown.some(([, text]) => text.includes('uma@walk.test'))).toBe(true);
});

describe('A list of entries', () => {
  test('is totally ordered, newest first', async () => {
    const entries = await listAll();
    const keys = entries.map(({ occurredAt, position }) => [occurredAt, position] as const);
    const sorted = [...keys].sort(([at, one], [bt, two]) => (at === bt ? two - one : at < bt ? 1 : -1));
    expect(keys).toEqual(sorted);
  });

  test('contains exactly the entries that match its filters, alone and combined', async () => {
    const all = await listAll();
    const named = ['tenantId', 'entity', 'entityId', 'action', 'branchId', 'userId'] as const;
    for (const field of named)
      for (const value of new Set(
        all
          .map((entry) => entry[field])
          .filter((one) => one !== null)
          .slice(0, 40),
      )) {
        const expected = all.filter((entry) => entry[field] === value);
        expect([field, value, await listAll(`${field}=${value}`)]).toEqual([field, value, expected]);
      }
    const { tenantId, entity, action } = all.find(({ entity: one }) => one === 'sale') as AuditLogRecord;
    const together = all.filter((one) => one.tenantId === tenantId && one.entity === entity && one.action === action);
    expect(await listAll(`tenantId=${tenantId}&entity=${entity}&action=${action}`)).toEqual(together);
    const [early, late] = [all.at(-10)?.occurredAt ?? '', all.at(10)?.occurredAt ?? ''];
    const between = all.filter(({ occurredAt }) => occurredAt >= early && occurredAt <= late);
    expect(await listAll(`dateFrom=${early}&dateTo=${late}`)).toEqual(between);
    const day = all[0]?.occurredAt.slice(0, 10) ?? '';
    expect((await list(`dateFrom=${day}&dateTo=${day}`)).totalCount).toBe(
      all.filter(({ occurredAt }) => occurredAt.startsWith(day)).length,
    );
    expect((await list('dateTo=2020-01-01')).totalCount).toBe(0);
    expect((await list('tenantId=nobody')).totalCount).toBe(0);
  });

  test('can be searched by actor, action, record and request', async () => {
    const all = await listAll();
    const one = all.find(({ eventType }) => eventType === 'CustomerUpdated') as AuditLogRecord;
    const found = async (search: string): Promise<AuditLogRecord[]> => listAll(`search=${encodeURIComponent(search)}`);
    expect(await found(one.entityId)).toEqual(
      all.filter(({ entityId, requestId }) => entityId === one.entityId || requestId === one.entityId),
    );
    expect((await found(one.entityId.slice(0, 16))).map(({ id }) => id)).toContain(one.id);
    expect(await found('umb')).toEqual(all.filter(({ userName, summary }) => /\bumb/i.test(`${userName} ${summary}`)));
    expect((await found('ada gmbh')).map(({ summary }) => summary)).toContain(
      'Customer "Ada GmbH" updated: name, taxNumber',
    );
    expect((await found('partner shop accepted')).length).toBe(5);
    expect(await found('category-rule')).toEqual(
      all.filter(({ entity, entityId }) => entity === 'category-rule' || entityId.startsWith('category_rule')),
    );
    expect(await found('otto deleted')).toEqual([]);
    const ofOperators = (await found('operator deleted')).filter(({ entity }) => entity === 'operator');
    expect(ofOperators.map(({ eventType }) => eventType)).toEqual(['OperatorDeleted']);
  });

  test('rejects unsupported filters', async () => {
    const told = async (query: string): Promise<string> =>
      (await service.get(`/api/platform/audit-logs?${query}`, operator)).told;
    expect(await told('pageSize=101')).toBe('400 VALIDATION_FAILED pageSize');
    expect(await told('action=EAT')).toBe('400 VALIDATION_FAILED action');
    expect(await told('dateFrom=yesterday')).toBe('400 VALIDATION_FAILED dateFrom');
    expect((await service.get(`/api/platform/audit-logs/${decodeJwt(operator).sub ?? ''}`, operator)).told).toBe(
      '404 NOT_FOUND',
    );
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
