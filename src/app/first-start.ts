import { randomBytes, randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { CreateIntegrationKey } from '../commands/integration-key.commands.js';
import { CreateOperator } from '../commands/user.commands.js';
import { CreateTenant } from '../commands/tenant.commands.js';
import type { Config } from '../config.js';
import { asService, type OwnWork } from '../eventsourcing/context.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { whenEnginesAnswer } from '../eventsourcing/transient-errors.js';
import type { Service } from './service.js';
import { seedBooks } from './demo-books.js';
import { DEMO_CURRENCY, DEMO_SOURCE, seedSales } from './demo-sales.js';

/** Returns the text to print once the service's address is known. */
export type Welcome = (url: string) => string;

const DEMO_SLUG = 'demo';
const DEMO_OPERATOR = 'operator@kontor.example';
const DEMO_OWNER = 'owner@demo.kontor.example';

const newPassword = (): string => randomBytes(12).toString('base64url');

/**
 * Creates the initial records on the first start: the operator from the settings and, in development, the demo records.
 * The demo records are an operator, a tenant with one year of books, and a partner key. Existing records remain
 * unchanged. Secrets are shown only once, when they are created.
 */
export async function seed(config: Config, service: Service): Promise<Welcome | undefined> {
  if (config.OPERATOR_EMAIL !== undefined && config.OPERATOR_PASSWORD !== undefined)
    await makeOperator(service, config.OPERATOR_EMAIL, config.OPERATOR_PASSWORD);
  if (!config.SEED_DEMO) return undefined;
  const ownerPassword = newPassword();
  const tenantId = await makeTenant(service, ownerPassword);
  if (tenantId === undefined) return (url) => againText(url, config);
  const operatorPassword = newPassword();
  const operatorIsNew = await makeOperator(service, DEMO_OPERATOR, operatorPassword);
  const key = await makeKey(service, tenantId);
  await asService(contextFor(service, tenantId), async () => {
    await seedSales(service, tenantId);
    await seedBooks(service, tenantId);
  });
  const people = [
    ...(operatorIsNew ? [{ who: 'operator', email: DEMO_OPERATOR, password: operatorPassword }] : []),
    { who: 'owner of the demo tenant', email: DEMO_OWNER, password: ownerPassword },
  ];
  return (url) => welcomeText(url, people, key);
}

const contextFor = ({ engines }: Service, tenantId: string): OwnWork => ({
  tenantId,
  name: 'first-start',
  commandId: engines.ids.next(),
});

/** Returns false if the e-mail address is taken. An existing operator remains unchanged. */
async function makeOperator(service: Service, email: string, password: string): Promise<boolean> {
  // Every attempt uses this id, so a retry has no effect if an earlier attempt succeeded without a response.
  const target = { tenantId: PLATFORM_TENANT, id: service.engines.ids.next() };
  const command = new CreateOperator(target, { fullName: 'Operator', email, password });
  return unlessTaken(['EMAIL_TAKEN'], () =>
    whenEnginesAnswer(service.engines, () =>
      asService(contextFor(service, PLATFORM_TENANT), () => service.app.get(CommandBus).execute(command)),
    ),
  );
}

async function makeTenant(service: Service, password: string): Promise<string | undefined> {
  const id = service.engines.ids.next();
  const owner = { fullName: 'Demo Owner', email: DEMO_OWNER, password };
  const facts = { name: 'Demo Trading', slug: DEMO_SLUG, currency: DEMO_CURRENCY, timeZone: 'Europe/Berlin', owner };
  const command = new CreateTenant({ tenantId: PLATFORM_TENANT, id }, facts);
  const isMade = await unlessTaken(['SLUG_TAKEN'], () =>
    asService(contextFor(service, PLATFORM_TENANT), () => service.app.get(CommandBus).execute(command)),
  );
  return isMade ? id : undefined;
}

async function makeKey(service: Service, tenantId: string): Promise<string> {
  const target = { tenantId, id: service.engines.ids.next() };
  const command = new CreateIntegrationKey(target, { name: 'Demo shop', sourceId: DEMO_SOURCE, rateLimit: 60 });
  const issued = await asService(contextFor(service, tenantId), () => service.app.get(CommandBus).execute(command));
  return issued.key;
}

async function unlessTaken(codes: readonly string[], make: () => Promise<unknown>): Promise<boolean> {
  try {
    await make();
    return true;
  } catch (error) {
    if (error instanceof DomainError && codes.includes(error.code)) return false;
    throw error;
  }
}

/**
 * Returns the text to print on later starts. It must also be correct if the first start was interrupted before any
 * password was displayed.
 */
function againText(url: string, { DATA_DIR, EVENTSTORE_URL }: Config): string {
  const anew = EVENTSTORE_URL === undefined ? `To start over, stop Kontor and remove the folder ${DATA_DIR}.\n` : '';
  return `
Kontor is running with the demo tenant of an earlier start, which showed the passwords.
${anew}
  console        ${url}/console
  API documents  ${url}/docs

`;
}

type Person = { readonly who: string; readonly email: string; readonly password: string };

function welcomeText(url: string, people: readonly Person[], key: string): string {
  const owner = people.at(-1);
  const sale = {
    externalId: 'web-1001',
    occurredAt: new Date().toISOString(),
    currency: DEMO_CURRENCY,
    customer: { externalId: 'shopper-7', name: 'Ada Yilmaz', email: 'ada@shopper.example' },
    lines: [{ description: 'Espresso machine', quantity: 1, unitPrice: '200.00', taxRate: 19 }],
    total: '238.00',
    payments: [{ method: 'CARD', amount: '100.00' }],
  };
  const post = [
    `curl -sS -w '\\n%{http_code}\\n' ${url}/api/integrations/v1/sales`,
    `-H 'Content-Type: application/json' -H 'X-Integration-Key: ${key}'`,
    `-H 'Idempotency-Key: ${randomUUID()}' -d '${JSON.stringify(sale)}'`,
  ].join(' ');
  const show = [
    `until curl -sS ${url}/api/integrations/v1/sales/web-1001 -H 'X-Integration-Key: ${key}' | grep -qE 'BOOKED|REJECTED';`,
    `do sleep 0.2; done; TOKEN=$(curl -sS ${url}/api/auth/login -H 'Content-Type: application/json'`,
    `-d '{"email":"${owner?.email ?? ''}","password":"${owner?.password ?? ''}"}'`,
    `| sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/');`,
    `curl -sS -H "Authorization: Bearer $TOKEN" '${url}/api/customers?pageNumber=1&pageSize=1&search=ada'`,
    `-w '\\n' '${url}/api/transactions?pageNumber=1&pageSize=5&search=web-1001'`,
  ].join(' ');
  return `
Kontor is running with a demo tenant. These secrets are shown only once:

${people.map(({ who, email, password }) => `  ${email}  ${password}   (${who})`).join('\n')}
  partner key  ${key}

  console        ${url}/console
  API documents  ${url}/docs

Run the first command to post a sale. Run the second to list its customer, invoice and collection:

${post}

${show}

`;
}
