import { decodeJwt } from 'jose';
import { abandonRun, cancelRun, pauseRun, resumeRun } from '../../src/aggregates/job-control.js';
import { claimRun, job, reportProgress, startJob } from '../../src/aggregates/job.aggregate.js';
import { bindOperatorIdentity, operator } from '../../src/aggregates/operator.aggregate.js';
import { bindIdentity, user as userAggregate } from '../../src/aggregates/user.aggregate.js';
import { RULE_DEFAULTS } from '../../src/aggregates/category-rule.aggregate.js';
import { ruleApplication, type RuleApplicationEvent } from '../../src/aggregates/rule-application.aggregate.js';
import { errorLog, errorLogId, expireErrors } from '../../src/aggregates/error-log.aggregate.js';
import { inspection, recordBackupDownload } from '../../src/aggregates/inspection.aggregate.js';
import type { Aggregate, DomainEvent } from '../../src/eventsourcing/aggregate.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import { noteRebuild, projectionAggregate, requestRebuild } from '../../src/projecting/projection-control.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { noteWebhookProgress, webhookProgress } from '../../src/aggregates/webhook.aggregate.js';
import { eventually } from './eventually.js';
import { AuthenticatorApp } from './authenticator-app.js';
import { LateWriter } from './late-writer.js';
import type { Browser } from './push-service.js';
import type { Reply } from './reply.js';
import { SoftAuthenticator } from './soft-authenticator.js';
import { PASSWORD, saleOf, type Books, type TestKey, type TestService } from './service.js';

const PATIENCE_MS = 30_000;
const OTHER_PASSWORD = 'another long password';

type Method = 'POST' | 'PATCH' | 'DELETE';
const idIn = (path: string): string => path.split('/').at(-1) ?? '';
type Listed = { readonly id: string; readonly name: string };

/**
 * Performs every operation on a tenant's books except sales, so that the history contains nearly every event type. Acts
 * as users, operators, partners and the service itself. The owner can still sign in afterwards.
 */
export class EverythingElse {
  constructor(
    private readonly service: TestService,
    private readonly books: Books,
    /** The push service rejects the first pushes to `refusing`. It accepts all pushes to `working`. */
    private readonly browsers: { readonly refusing: Browser; readonly working: Browser },
  ) {}

  async write(): Promise<void> {
    await this.people();
    await this.operators();
    await this.tenants();
    await this.factors();
    const categoryId = await this.categories();
    await this.records();
    await this.transactions(categoryId);
    await this.rules(categoryId);
    await this.periods();
    await this.learning(categoryId);
    await this.partners();
    await this.keyed();
    await this.notifications();
    await this.jobs();
    await this.errors();
    await this.rebuilds();
    await this.written('CheckpointSigned');
    await this.service.quiet();
  }

  private async keyed(): Promise<void> {
    const { token } = this.books.tenant;
    const key = { 'idempotency-key': 'all-events' };
    await this.service.post('/api/customers', { name: 'Keyed', code: 'K-0' }, token, key);
    await this.service.post('/api/customers', { name: 'Keyed' }, token, key);
  }

  private async people(): Promise<void> {
    const role = await this.make('/api/roles', { name: 'Clerk', permissions: ['branches.read'] });
    await this.ask('PATCH', `/api/roles/${role}`, { description: 'Knows it all.' });
    await this.ask('PATCH', `/api/roles/${role}/permissions`, { permissions: ['branches.write'] });
    const email = 'uma@all.test';
    const person = { fullName: 'Uma User', email, password: PASSWORD, role: 'USER', roleIds: [role] };
    const user = `/api/users/${await this.make('/api/users', person)}`;
    await this.ask('PATCH', user, { phone: '+49 30 123', roleIds: [], isActive: false });
    await this.ask('PATCH', user, { isActive: true });
    await this.ask('POST', `${user}/password`, { newPassword: OTHER_PASSWORD });
    const reply = await this.service.post('/api/auth/login', { email, password: OTHER_PASSWORD });
    const { refreshToken } = reply.data as { refreshToken: string };
    const fresh = await this.service.post('/api/auth/refresh', { refreshToken });
    await this.ask('POST', '/api/auth/logout', undefined, (fresh.data as { accessToken: string }).accessToken);
    await this.service.post('/api/auth/login', { email, password: 'not the password' });
    await this.written('LoginFailed');
    await this.ask('POST', `${user}/invitation`);
    await this.decide(
      userAggregate,
      idIn(user),
      { issuer: 'https://login.test', subject: 'uma' },
      bindIdentity,
      this.books.tenant.id,
    );
    await this.ask('DELETE', user);
    await this.ask('DELETE', `/api/roles/${role}`);
  }

  private async factors(): Promise<void> {
    const email = 'fay@all.test';
    const person = { fullName: 'Fay Factor', email, password: PASSWORD, role: 'USER' };
    await this.make('/api/users', person);
    const token = await this.service.signIn(email);
    const app = await AuthenticatorApp.addTo(this.service, token);
    const added = await this.service.post('/api/auth/factors', { type: 'PASSKEY' }, token);
    const { id, options } = added.data as { id: string; options: Parameters<SoftAuthenticator['create']>[0] };
    const passkey = new SoftAuthenticator(this.service.url);
    const confirm = { credential: passkey.create(options) };
    const confirmed = await this.service.post(`/api/auth/factors/${id}/confirm`, confirm, token);
    const { recoveryCodes } = confirmed.data as { recoveryCodes: string[] };
    type Asked = { factorToken: string; options: Parameters<SoftAuthenticator['get']>[0] };
    const login = { email, password: PASSWORD };
    const asked = (await this.service.post('/api/auth/login', login)).data as Asked;
    const { factorToken } = asked;
    const finish = (proof: object) => this.service.post('/api/auth/login/factor', { factorToken, ...proof });
    await finish({ credential: passkey.get(asked.options) });
    await finish({ recoveryCode: recoveryCodes[0] });
    await finish({ code: app.code(1) });
    await finish({ code: '000000' });
    await this.written('FactorRefused');
    await this.ask('POST', '/api/auth/step-up', { recoveryCode: recoveryCodes[1] }, token);
    await this.ask('DELETE', `/api/auth/factors/${id}`, undefined, token);
    const { sub = '' } = decodeJwt(token);
    await this.ask('POST', `/api/users/${sub}/remove-factors`, { reason: 'Lost the phone.' });
  }

  private async operators(): Promise<void> {
    const email = 'otto@all.test';
    const newcomer = { fullName: 'Otto Operator', email, password: PASSWORD };
    const id = await this.make('/api/platform/operators', newcomer, await this.service.operator());
    await AuthenticatorApp.addTo(this.service, await this.service.signIn(email));
    await this.operate('POST', `/api/platform/operators/${id}/remove-factors`, { reason: 'Lost the phone.' });
    const token = await this.service.signIn(email);
    await this.ask('PATCH', '/api/users/me/profile', { fullName: 'Otto O.' }, token);
    const passwords = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    await this.ask('POST', '/api/auth/change-password', passwords, token);
    await this.decide(operator, id, { issuer: 'https://login.test', subject: 'otto' }, bindOperatorIdentity);
    await this.operate('DELETE', `/api/platform/operators/${id}`);
  }

  private async tenants(): Promise<void> {
    const { id, token } = await this.service.createTenant();
    const oidcDomains = [{ issuer: 'https://login.test', domain: 'all.test' }];
    await this.ask('PATCH', '/api/settings', { oidcDomains }, token);
    const path = `/api/platform/tenants/${id}`;
    await this.operate('PATCH', path, { name: 'Another name', isActive: false });
    await this.operate('PATCH', path, { isActive: true });
  }

  private async categories(): Promise<string> {
    const path = '/api/transaction-categories';
    const id = await this.make(path, { name: 'Consulting', direction: 'BOTH' });
    await this.ask('PATCH', `${path}/${id}`, { name: 'Advice', color: '#12AB34' });
    await this.ask('DELETE', `${path}/${id}`);
    await this.ask('PATCH', `${path}/${id}/restore`);
    const rule = `${path}/rules/${await this.make(`${path}/rules`, { categoryId: id, keyword: 'advice' })}`;
    await this.ask('PATCH', rule, { keyword: 'counsel' });
    await this.ask('DELETE', rule);
    return id;
  }

  /**
   * Applies a rule to transactions from a sale, a user and an opening balance. Then undoes these changes.
   */
  private async rules(categoryId: string): Promise<void> {
    const path = '/api/transaction-categories/rules';
    const customer = { name: 'Applied', externalId: 'applied' };
    await this.service.sell(this.books.partner, saleOf('applied', { customer }));
    const openingBalance = { amount: '50.00', direction: 'OUT', date: '2026-01-01' };
    const customerId = await this.make('/api/customers', { name: 'Applied too', openingBalance });
    const accountId = await this.accountId();
    const collection = { type: 'COLLECTION', date: '2026-02-03', amount: '12.50', customerId, accountId };
    await this.make('/api/transactions', collection);
    const rule = `${path}/${await this.make(path, { categoryId, merchant: 'applied' })}`;
    const { data } = await this.ask('POST', `${rule}/apply`, { dryRun: false });
    await this.written('RuleApplicationEnded');
    await this.ask('POST', `${path}/applications/${(data as { applicationId: string }).applicationId}/undo`);
    await this.ask('DELETE', rule);
    // The service applies a rule in several batches only if the history contains more transactions than this one. This
    // function therefore appends the events of such a run in one append, so that no policy reacts to them.
    const { tenant } = this.books;
    const applied = { ...RULE_DEFAULTS, categoryId, merchant: 'Any', source: 'MANUAL' as const };
    const started = { ruleId: idIn(rule), rule: applied, total: 300 };
    const period = { dateFrom: null, dateTo: null, replace: 'NONE' as const };
    const parts = (): RuleApplicationEvent[] => [
      { type: 'RuleApplicationStarted', data: { ...started, ...period } },
      { type: 'RuleApplicationProgressed', data: { after: '["2026-02-03"]', examined: 250, changed: 9 } },
      { type: 'RuleApplicationEnded', data: { examined: 300, changed: 9, error: null } },
      { type: 'RuleApplicationUndoStarted', data: {} },
      { type: 'RuleApplicationUndoProgressed', data: { after: '["t"]', restored: 5, kept: 0 } },
      { type: 'RuleApplicationUndoEnded', data: { restored: 9, kept: 0 } },
    ];
    await this.decide(ruleApplication, this.service.service.engines.ids.next(), {}, parts, tenant.id);
  }

  private async records(): Promise<void> {
    const branch = `/api/branches/${await this.make('/api/branches', { code: 'NORTH', name: 'North' })}`;
    await this.ask('PATCH', branch, { name: 'Far north', isActive: false });
    await this.ask('PATCH', branch, { isActive: true });
    const account = `/api/accounts/${await this.make('/api/accounts', { type: 'BANK', name: 'Spare', isDefault: true })}`;
    await this.ask('PATCH', account, { name: 'Savings', isDefault: false });
    await this.ask('PATCH', account, { isActive: false });
    await this.ask('PATCH', account, { isActive: true });
    const customer = `/api/customers/${await this.make('/api/customers', { name: 'Nobody', code: 'N-1' })}`;
    await this.ask('PATCH', customer, { name: 'Somebody', code: 'N-2', status: 'PASSIVE' });
    await this.ask('PATCH', customer, { status: 'ACTIVE' });
    await this.ask('DELETE', account);
    await this.ask('DELETE', customer);
    // A transaction that was validated before the deletions restores both records.
    await new LateWriter(this.service, this.books.tenant.id).collect(idIn(customer), idIn(account));
    await this.written('CustomerRestored');
    await this.written('AccountRestored');
  }

  private async transactions(categoryId: string): Promise<void> {
    const openingBalance = { amount: '50.00', direction: 'OUT', date: '2026-01-01' };
    const customerId = await this.make('/api/customers', { name: 'Ada Ltd', openingBalance });
    const accountId = await this.accountId();
    const collection = { type: 'COLLECTION', date: '2026-02-03', amount: '12.50', customerId, accountId };
    const ids = [
      await this.make('/api/transactions', collection),
      (await this.service.transactions(this.token, `customerId=${customerId}&type=OPENING_BALANCE`)).items[0]?.id ?? '',
    ];
    for (const id of ids) {
      await this.ask('PATCH', `/api/transactions/${id}/category`, { categoryId });
      await this.ask('POST', `/api/transactions/${id}/cancel`, { reason: 'Typed twice.' });
    }
    const opened = await this.make('/api/customers', { name: 'Bob Ltd', openingBalance });
    const { items } = await this.service.transactions(this.token, `customerId=${opened}`);
    const lines = [
      { accountId: customerId, debit: '3.00', description: 'Goods' },
      { accountId, credit: '3.00' },
    ];
    const replacement = { type: 'JOURNAL', date: '2026-02-03', lines };
    for (const id of [await this.make('/api/transactions', collection), items[0]?.id ?? ''])
      await this.ask('POST', `/api/transactions/${id}/correct`, { reason: 'Other accounts.', replacement });
  }

  private async periods(): Promise<void> {
    await this.ask('POST', '/api/periods/close', { through: '2026-03-31', note: 'First quarter.' });
    const [from, to] = [await this.accountId(), await this.make('/api/accounts', { type: 'BANK', name: 'Safe' })];
    await new LateWriter(this.service, this.books.tenant.id).transfer(from, to);
    await this.written('LateEntriesDetected');
    await this.ask('POST', '/api/periods/reopen', { through: null, reason: 'A bill was missing.' });
  }

  /** Chooses a category as users would: three times, then no category, and then the same category again. */
  private async learning(categoryId: string): Promise<void> {
    const ids: string[] = [];
    const customerId = await this.make('/api/customers', { name: 'The Roastery' });
    const entry = { type: 'COLLECTION', date: '2026-02-03', amount: '5.00', customerId };
    const accountId = await this.accountId();
    for (let count = 0; count < 8; count += 1) ids.push(await this.make('/api/transactions', { ...entry, accountId }));
    const choose = async (chosen: readonly string[], choice: string | null): Promise<void> => {
      for (const id of chosen) await this.ask('PATCH', `/api/transactions/${id}/category`, { categoryId: choice });
    };
    await choose(ids.slice(0, 3), categoryId);
    await this.written('MerchantCategoryLearned');
    await choose(ids.slice(3, 5), null);
    await choose(ids.slice(0, 2), null);
    await this.written('CategoryRuleDisputed');
    await choose(ids.slice(5), categoryId);
    await this.written('CategoryRuleConfirmed');
  }

  private async partners(): Promise<void> {
    const path = '/api/integration-keys';
    const id = await this.make(path, { name: 'The till', sourceId: 'till' });
    const rotated = await this.ask('POST', `${path}/${id}/rotate`, { overlapHours: 1 });
    const expiring = `/api/platform/integration-keys/${id}`;
    await this.operate('PATCH', expiring, { expiresAt: '2999-01-01T00:00:00.000Z' });
    const till = { id, sourceId: 'till', key: (rotated.data as { key: string }).key };
    await this.make('/api/customers', { name: 'Wanda Walk-in', code: 'W-1' });
    const customer = { name: 'Wanda Walk-in', code: 'W-1', externalId: 'wanda' };
    await this.service.postSale(till, saleOf('once', { customer }), 'key-1');
    await this.service.settled(till, 'once');
    const letters: string[] = [];
    for (const externalId of ['late', 'lost']) {
      await this.service.postSale(till, saleOf(externalId, { branchCode: 'LATER' }));
      const { saleId } = await this.service.settled(till, externalId);
      letters.push(`/api/platform/dead-letters/${await this.service.letterOf('SALE', saleId)}`);
    }
    await this.operate('POST', `${letters[0]}/replay`);
    await this.operate('POST', `${letters[1]}/discard`, { reason: 'A test.' });
    await this.make('/api/branches', { code: 'LATER', name: 'Opened later' });
    await this.written('DeadLetterReplayed');
    await this.returned(this.books.partner);
    await this.ask('DELETE', `${path}/${id}`);
    await this.webhooks();
    await this.rewinds();
  }

  private async webhooks(): Promise<void> {
    const path = '/api/webhooks';
    // The host name does not exist, so deliveries fail.
    const id = await this.make(path, { url: 'https://receiver.invalid/', types: ['kontor.branch.created.v1'] });
    await this.make('/api/branches', { code: 'HEARD', name: 'Heard of' });
    const delivery = await eventually(async () => {
      const { body } = await this.service.get(`${path}/${id}/deliveries`, this.books.tenant.token);
      return (body as { items: Listed[] }).items[0];
    }, PATIENCE_MS);
    await this.ask('PATCH', `${path}/${id}`, { description: 'Ours' });
    await this.ask('POST', `${path}/${id}/rotate-secret`);
    await this.ask('POST', `${path}/${id}/test`);
    await this.ask('POST', `${path}/${id}/deliveries/${delivery.id}/resend`);
    await this.ask('POST', `${path}/${id}/recover`, { since: '2026-01-01T00:00:00.000Z' });
    await this.decide(webhookProgress, id, { position: 1 }, noteWebhookProgress, this.books.tenant.id);
    for (const isEnabled of [false, true]) await this.ask('PATCH', `${path}/${id}`, { isEnabled });
    await this.ask('DELETE', `${path}/${id}`);
  }

  /** Pushes a return before its sale. */
  private async returned(partner: TestKey): Promise<void> {
    const lines = [{ description: 'Back', quantity: 1, unitPrice: '1' }];
    await this.service.postSale(partner, saleOf('back', { type: 'RETURN', relatedExternalId: 'sold', lines }));
    await this.service.settled(partner, 'back');
    await this.service.sell(partner, saleOf('sold'));
    await this.written('AwaitedSaleBooked');
  }

  private async rewinds(): Promise<void> {
    const path = '/api/platform/forwarders/integration-events';
    const position = await this.service.service.engines.events.head();
    await this.operate('POST', `${path}/rewind`, { position });
    await this.written('ForwarderRewindCompleted');
    await this.operate('POST', `${path}/pause`);
    await this.operate('POST', `${path}/rewind`, { position });
    await this.operate('DELETE', `${path}/rewind`);
    await this.operate('POST', `${path}/resume`, { from: 'now' });
  }

  private async notifications(): Promise<void> {
    const path = '/api/notifications';
    const browsers = Object.values(this.browsers);
    for (const { subscription } of browsers) await this.ask('POST', `${path}/push-subscriptions`, subscription);
    const body = { title: 'Stocktaking', body: 'On Friday.', broadcast: true };
    const sent = await this.ask('POST', `${path}/admin/send`, body);
    const { notificationId } = sent.data as { notificationId: string };
    await this.ask('PATCH', `${path}/${notificationId}/read`);
    await this.operate(
      'POST',
      `/api/platform/dead-letters/${await this.service.letterOf('PUSH', notificationId)}/replay`,
    );
    for (const { endpoint } of browsers) await this.ask('DELETE', `${path}/push-subscriptions`, { endpoint });
    await this.ask('POST', `${path}/admin/send`, body);
    await this.ask('PATCH', `${path}/read-all`);
  }

  private async jobs(): Promise<void> {
    await this.operate('POST', '/api/platform/jobs/trigger', { jobName: 'session-cleanup' });
    await this.written('JobSucceeded');
    // Records a run by an earlier process that no longer exists.
    const executionId = this.service.service.engines.ids.next();
    const run = { executionId, runner: 'former' };
    const start = { executionId, trigger: 'SCHEDULE', triggeredBy: null, scheduledFor: null, parameters: {} } as const;
    await this.decide(job, 'former', start, startJob);
    await this.decide(job, 'former', { ...run, term: 1 }, claimRun);
    await this.decide(job, 'former', { ...run, progress: 40, message: 'Some of it is done.' }, reportProgress);
    await this.decide(job, 'former', { ...run, error: 'The process is gone.' }, abandonRun);
    // Records a run of a job that can be paused.
    const paused = { executionId: this.service.service.engines.ids.next(), canPause: true };
    await this.decide(job, 'former', { ...start, executionId: paused.executionId, trigger: 'MANUAL' }, startJob);
    await this.decide(job, 'former', { ...run, ...paused, term: 2 }, claimRun);
    const report = { progress: 7, message: '7 of 100 replayed.', checkpoint: { after: 'x', upTo: 1 } };
    await this.decide(job, 'former', { ...run, ...paused, ...report }, reportProgress);
    for (const change of [pauseRun, resumeRun, cancelRun]) await this.decide(job, 'former', paused, change);
    for (const what of ['pause', 'resume'])
      await this.operate('POST', `/api/platform/policies/category-learning/${what}`);
    await this.service.get('/api/platform/events?type=JobCancelled', await this.service.operator());
    const history = `/api/platform/streams/job/session-cleanup/events?tenantId=${PLATFORM_TENANT}`;
    await this.service.get(history, await this.service.operator());
    const backup = { jobName: 'database-backup', executionId, fileName: 'kontor.gz', sizeBytes: 1, sha256: '00' };
    await this.decide(inspection, executionId, backup, recordBackupDownload);
  }

  private async errors(): Promise<void> {
    for (const fingerprint of ['first', 'second'])
      this.service.service.engines.errors.note({ fingerprint, level: 'WARN', message: `The ${fingerprint}.` });
    const [resolved, expired] = [errorLogId('first', 0), errorLogId('second', 0)];
    await eventually(async () => {
      const { body } = await this.service.get('/api/platform/error-logs', await this.service.operator());
      const noted = (body as { items: Listed[] }).items.map(({ id }) => id);
      return noted.includes(resolved) && noted.includes(expired);
    }, PATIENCE_MS);
    await this.operate('PATCH', `/api/platform/error-logs/${resolved}/resolve`);
    const before = '2099-01-01T00:00:00.000Z';
    await this.decide(errorLog, expired, { resolvedBefore: before, unresolvedBefore: before }, expireErrors);
  }

  private async rebuilds(): Promise<void> {
    const path = '/api/platform/projections';
    const rows = async () =>
      (await this.service.get(path, await this.service.operator())).data as (Listed & { rebuild: unknown })[];
    for (const { name } of await rows()) await this.operate('POST', `${path}/${name}/rebuild`);
    // Rebuilds run one after another. The last rebuild is still queued, so it can be cancelled.
    await this.operate('DELETE', `${path}/${(await rows()).at(-1)?.name ?? ''}/rebuild`);
    await eventually(async () => (await rows()).every(({ rebuild }) => rebuild === null), PATIENCE_MS);
    // Records a rebuild of a read model that existed only in an earlier version.
    const rebuildId = this.service.service.engines.ids.next();
    await this.decide(projectionAggregate, 'former', { rebuildId, version: 1 }, requestRebuild);
    const step = { kind: 'failed', reason: 'There is no such model.' } as const;
    await this.decide(projectionAggregate, 'former', { rebuildId, step }, noteRebuild);
  }

  private get token(): string {
    return this.books.tenant.token;
  }

  private async accountId(): Promise<string> {
    const { body } = await this.service.get('/api/accounts?pageNumber=1&pageSize=100&search=Cash', this.token);
    return (body as { items: Listed[] }).items.find(({ name }) => name === 'Cash')?.id ?? '';
  }

  /** Waits for an event of the given type. @throws Error if no such event is appended in time */
  private written(type: string): Promise<true> {
    const { events } = this.service.service.engines;
    const look = async () => (await events.readAll({ maxCount: 100_000 })).some((event) => event.type === type);
    return eventually(
      async () => (await look()) || undefined,
      PATIENCE_MS,
      () => type,
    );
  }

  /** @throws Error if the request is rejected */
  private async ask(method: Method, path: string, body?: object, token = this.token): Promise<Reply> {
    const reply = await this.service.call(method, path, { token, body });
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.told} ${reply.text}`);
    await this.service.quiet();
    return reply;
  }
  private async operate(method: Method, path: string, body?: object): Promise<Reply> {
    return this.ask(method, path, body, await this.service.operator());
  }
  private async make(path: string, body: object, token = this.token): Promise<string> {
    return (await this.ask('POST', path, body, token)).id;
  }

  /** Makes a decision as the service, for events that no other operation in this file causes. */
  private async decide<State, E extends DomainEvent, Data>(
    aggregate: Aggregate<State, E>,
    id: string,
    data: Data,
    decision: (state: State, data: Data, now: Date) => E[],
    tenantId = PLATFORM_TENANT,
  ): Promise<void> {
    const { app, engines } = this.service.service;
    const target = { tenantId, id };
    await asService({ tenantId, commandId: engines.ids.next(), name: 'recording' }, () =>
      app.get(CommandRunner).execute(aggregate, target, data, decision),
    );
  }
}
