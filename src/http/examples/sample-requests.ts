import { SAMPLE_IDS as ids } from './sample-ids.js';

/*
 * Request bodies in the API document, by schema name. Together they form a scenario: a tenant, its books, a partner's
 * sale, and corrections. A test sends them in this order to a running service.
 */

const PASSWORD = 'a long and quiet harbour';
const credential = { id: 'q83vEjRWeJA', rawId: 'q83vEjRWeJA', type: 'public-key' };
const assertion = {
  ...credential,
  response: { clientDataJSON: 'eyJ0eXBlIjoi…', authenticatorData: 'SZYN5YgOjGh0…', signature: 'MEUCIQDTGVxh…' },
};

export const SAMPLE_SALE = {
  externalId: 'order-4711',
  type: 'SALE',
  occurredAt: '2026-03-04T10:15:00Z',
  currency: 'EUR',
  branchCode: 'HARBOUR',
  customer: { externalId: 'c-1001', name: 'Northwind Foods', email: 'accounts@northwind.example' },
  lines: [{ sku: 'ESP-1', description: 'Espresso machine', quantity: 2, unitPrice: '100.00', taxRate: 19 }],
  total: '238.00',
  payments: [{ method: 'CARD', amount: '238.00' }],
};
const RETURN = {
  externalId: 'order-4711-return',
  type: 'RETURN',
  relatedExternalId: 'order-4711',
  occurredAt: '2026-03-06T09:00:00Z',
  currency: 'EUR',
  lines: [{ sku: 'ESP-1', description: 'Espresso machine', quantity: 1, unitPrice: '100.00', taxRate: 19 }],
  total: '119.00',
};
const COLLECTION = {
  type: 'COLLECTION',
  date: '2026-03-12',
  amount: '900.00',
  customerId: ids.customer,
  accountId: ids.bank,
  description: 'Bank transfer of 12 March',
  reference: 'BT-0312',
};
const deadLetters = { search: 'harbour', origin: 'SALE' };

export const SAMPLE_REQUESTS: Readonly<Record<string, object>> = {
  IntegrationSaleDto: SAMPLE_SALE,
  SaleBatchDto: {
    sales: [
      { ...SAMPLE_SALE, externalId: 'order-4712' },
      { ...RETURN, total: '100.00' },
    ],
  },
  CreateSaleDto: {
    occurredAt: '2026-03-05T14:30:00Z',
    customerId: ids.customer,
    lines: [{ description: 'Grinder repair', quantity: '1.5', unitPrice: '80.00', taxRate: 19 }],
  },
  CreateTenantDto: {
    name: 'Acme Trading',
    slug: 'acme-trading',
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    owner: { fullName: 'Olga Owner', email: 'olga@acme.example', password: PASSWORD },
  },
  UpdateTenantDto: { name: 'Acme Trading GmbH' },
  CreateOperatorDto: { fullName: 'Otto Operator', email: 'otto@kontor.example', password: PASSWORD },
  CreateBranchDto: { code: 'HARBOUR', name: 'Harbour branch', address: 'Quay 7, Hamburg' },
  UpdateBranchDto: { name: 'Harbour branch, pier 2' },
  CreateCustomerDto: {
    name: 'Northwind Foods',
    type: 'COMPANY',
    taxNumber: 'DE123456789',
    email: 'accounts@northwind.example',
    city: 'Hamburg',
    openingBalance: { amount: '300.00', direction: 'IN', date: '2026-03-01' },
  },
  UpdateCustomerDto: { city: 'Bremen', notes: 'Pays on the 15th.' },
  CreateAccountDto: { code: 'RENT', name: 'Rent', type: 'EXPENSE' },
  UpdateAccountDto: { name: 'Rent of premises' },
  CreateTransactionDto: COLLECTION,
  CancelTransactionDto: { reason: 'Entered twice.' },
  CorrectTransactionDto: { reason: 'The bank shows 990.00.', replacement: { ...COLLECTION, amount: '990.00' } },
  CategorizeTransactionDto: { categoryId: ids.category },
  CreateTransactionCategoryDto: { name: 'Bank transfers', direction: 'BOTH', color: '#2f6fed' },
  UpdateTransactionCategoryDto: { name: 'Transfers' },
  CreateCategoryRuleDto: { categoryId: ids.category, keyword: 'bank transfer', matchType: 'CONTAINS', direction: 'IN' },
  UpdateCategoryRuleDto: { keyword: 'transfer', notes: 'Covers standing orders, too.' },
  ApplyCategoryRuleDto: { dateFrom: '2026-01-01', dateTo: '2026-03-31', dryRun: true },
  ToggleRuleEnabledDto: { isEnabled: true },
  UpdateRulePriorityDto: { priority: 10 },
  TestCategoryRuleDto: { description: 'Bank transfer of 12 March', amount: '900.00', direction: 'IN' },
  ClosePeriodDto: { through: '2026-02-28', note: 'February is filed.' },
  ReopenPeriodDto: { through: '2026-01-31', reason: 'A bill was missing.' },
  CreateRoleDto: { name: 'Cashier', description: 'Records payments.', permissions: ['transactions.write'] },
  UpdateRoleDto: { description: 'Records payments and looks up customers.' },
  UpdateRolePermissionsDto: { permissions: ['customers.read', 'transactions.write'] },
  CreateUserDto: { fullName: 'Carla Cashier', email: 'carla@acme.example', password: PASSWORD, role: 'USER' },
  UpdateUserDto: { roleIds: [ids.role] },
  UpdateProfileDto: { fullName: 'Carla Cashier-Jones' },
  ResetPasswordDto: { newPassword: 'an even longer harbour' },
  ChangePasswordDto: { currentPassword: PASSWORD, newPassword: 'an even longer harbour' },
  RemoveFactorsDto: { reason: 'The phone was lost; identity checked by video call.' },
  UpdateSettingsDto: { requireFactor: false },
  LoginDto: { email: 'olga@acme.example', password: PASSWORD, tenant: 'acme-trading' },
  FactorLoginDto: { factorToken: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', code: '492039' },
  RefreshDto: { refreshToken: 'krt_6Jk0YbT2…' },
  BindIdentityDto: { code: 'oidc-binding-code' },
  StepUpDto: { password: PASSWORD },
  AddFactorDto: { type: 'TOTP' },
  ConfirmFactorDto: { code: '492039' },
  ConsoleSignInDto: { email: 'olga@acme.example', password: PASSWORD, tenant: 'acme-trading' },
  CreateIntegrationKeyDto: { name: 'Web shop', sourceId: 'web-shop', rateLimit: 60 },
  RotateIntegrationKeyDto: { overlapHours: 24 },
  UpdateIntegrationKeyDto: { rateLimit: 600 },
  CreateWebhookDto: {
    url: 'https://hooks.northwind.example/kontor',
    types: ['kontor.sale.*', 'kontor.customer.created.v1'],
    description: 'Warehouse',
  },
  UpdateWebhookDto: { description: 'Warehouse, new address', isEnabled: true },
  RecoverWebhookDto: { since: '2026-03-04T00:00:00Z' },
  SendAdminNotificationDto: { title: 'Stocktaking', body: 'No postings on Friday after 6 p.m.', broadcast: true },
  CreateWebPushSubscriptionDto: {
    endpoint: 'https://push.example/send/abc123',
    keys: {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'q83vEjRWeJASNFZ4kKvN7w',
    },
  },
  DeleteWebPushSubscriptionDto: { endpoint: 'https://push.example/send/abc123' },
  DiscardDeadLetterDto: { reason: 'The partner sent this sale twice.' },
  DiscardDeadLettersDto: { filter: deadLetters, dryRun: true, reason: 'The partner sent these sales twice.' },
  ReplayDeadLettersDto: { filter: deadLetters, dryRun: true, perSecond: 50 },
  RewindForwarderDto: { instant: '2026-03-04T00:00:00Z', types: ['kontor.sale.*'] },
  ResumeForwarderDto: {},
  TriggerJobDto: { jobName: 'projection-verify' },
};

/** Second example bodies, for schemas that allow several forms. */
export const FURTHER_REQUESTS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  IntegrationSaleDto: {
    'A return of part of the sale': RETURN,
    'A cancellation of the sale': {
      externalId: 'order-4711-cancellation',
      type: 'CANCELLATION',
      relatedExternalId: 'order-4711',
      occurredAt: '2026-03-06T09:00:00Z',
      currency: 'EUR',
    },
  },
  CreateTransactionDto: {
    'A journal entry': {
      type: 'JOURNAL',
      date: '2026-03-10',
      description: 'Rent of March',
      lines: [
        { accountId: ids.rent, debit: '1200.00' },
        { accountId: ids.bank, credit: '1200.00' },
      ],
    },
  },
  FactorLoginDto: { 'With a passkey': { factorToken: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', credential: assertion } },
};
