import type { Page } from 'playwright-core';
import { type ConsoleService, eventually, OPERATOR, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog, row } = handlesOf(() => page);
const region = (name: string) => page.getByRole('region', { name, exact: true });

/** Creates a customer with four events and returns the customer's id. */
async function northwind(): Promise<string> {
  const { data } = await service.call<{ data: { id: string } }>('/api/customers', {
    token: shop.ownerToken,
    body: { name: 'Northwind Foods', city: 'Oslo' },
  });
  for (const body of [{ city: 'Bergen' }, { status: 'PASSIVE' }, { notes: 'Pays late.' }])
    await service.call(`/api/customers/${data.id}`, { method: 'PATCH', token: shop.ownerToken, body });
  return data.id;
}

test('An audit log entry links to the record as it was then, and from there to the whole history of the record', async () => {
  const id = await northwind();
  await visitor.signIn(OPERATOR, `/audit?entity=customer&entityId=${id}`);
  await page.getByRole('link', { name: 'Customer updated: city' }).click();
  const changed = region('Changes').last();
  await changed.getByText('Oslo').waitFor();
  await changed.getByText('Bergen').waitFor();
  await page.getByRole('link', { name: 'Record history' }).click();

  // The page shows the revision to which the audit entry refers.
  await page.getByText('Revision 1 of 3').waitFor();
  await page.getByText('"city": "Bergen"').first().waitFor();
  expect(await region('State at revision 1 as JSON').innerText()).toContain('"notes": null');
  const events = page.getByRole('list', { name: 'Events, newest first' }).getByRole('button');
  expect(await events.count()).toBe(4);
  await page.getByText('Olga Owner').first().waitFor();

  await button('One event earlier').click();
  await page.getByText('Revision 0 of 3').waitFor();
  expect(await button('One event earlier').isDisabled()).toBe(true);
  await page.getByText('"city": "Oslo"').first().waitFor();

  // The keyboard moves the slider, and the URL includes the slider's position.
  await page.getByRole('slider').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('Revision 1 of 3').waitFor();
  await page.getByRole('slider').focus();
  await page.keyboard.press('End');
  await page.getByText('Revision 3 of 3').waitFor();
  await page.getByText('"notes": "Pays late."').first().waitFor();
  await events.nth(1).click();
  await page.waitForURL(/at=2/);
  await page.reload();
  await page.getByText('Revision 2 of 3').waitFor();
  await page.getByRole('group', { name: 'Changes by this event' }).getByText('Active', { exact: true }).waitFor();
});

test('The audit log names permissions and records, and the errors name their users', async () => {
  const create = async (path: string, body: object): Promise<string> =>
    (await service.call<{ data: { id: string } }>(path, { token: shop.ownerToken, body })).data.id;
  const role = await create('/api/roles', { name: 'Cashier', permissions: ['customers.read', 'periods.close'] });
  const ben = { fullName: 'Ben Bookkeeper', email: `ben@${shop.tenantId}.example`, password: 'correct horse battery' };
  const user = await create('/api/users', { ...ben, role: 'USER' });
  const assigned = { token: shop.ownerToken, method: 'PATCH', body: { roleIds: [role] } };
  await service.call(`/api/users/${user}`, assigned);
  await visitor.signIn(OPERATOR, `/audit?entity=role&entityId=${role}`);
  await page.getByRole('link', { name: 'Role "Cashier" created' }).click();
  await region('Changes').last().getByText('View customers; Close and reopen periods').waitFor();
  await visitor.goTo(`/audit?entity=user&entityId=${user}`);
  await page.getByRole('link', { name: 'User updated: roles' }).click();
  await region('Changes').last().getByRole('link', { name: 'Cashier', exact: true }).waitFor();
  await service.knockInVain(shop);
  await visitor.goTo('/errors');
  await eventually(async () => {
    await page.reload();
    await page.getByRole('searchbox').waitFor();
    return page.getByRole('link', { name: /rejected repeatedly/ }).isVisible();
  });
  await page.getByRole('link', { name: /rejected repeatedly/ }).click();
  await page.getByRole('link', { name: 'Olga Owner', exact: true }).waitFor();
});

test('Before its first event a record is shown as absent, with a link back', async () => {
  visitor.expects(/404/);
  const id = await northwind();
  await visitor.signIn(OPERATOR, `/records/customer/${id}?tenantId=${shop.tenantId}&at=2001-01-01T00:00:00.000Z`);
  await page.getByText('The record did not exist at that time').waitFor();
  await page.getByLabel('State at (local time)').fill('2099-01-01T00:00:00');
  await button('Show').click();
  await page.getByText('Revision 3 of 3').waitFor();
  await visitor.goTo(`/records/customer/01890000-0000-7000-8000-000000000000?tenantId=${shop.tenantId}`);
  await page.getByText('Record not found').waitFor();
});

test('The filters of the audit log are kept in its address, and find matching entries', async () => {
  await northwind();
  await visitor.signIn(OPERATOR, '/audit');
  await page
    .getByRole('combobox', { name: 'Record' })
    .or(page.getByLabel('Record', { exact: true }))
    .first()
    .click();
  await page.getByRole('option', { name: 'Customer', exact: true }).click();
  await page.waitForURL(/entity=customer/);
  await page.getByLabel('Tenant').first().fill('Acme');
  await page.getByRole('option', { name: 'Acme Trading' }).click();
  await page.waitForURL(/tenantId=/);
  await page.getByRole('searchbox').fill('northwind');
  await page.waitForURL(/search=northwind/);
  await page.reload();
  await page.getByRole('link', { name: 'Customer "Northwind Foods" created' }).first().waitFor();
  // The field shows the id until the tenant's name is loaded.
  await eventually(async () => (await page.getByLabel('Tenant').first().inputValue()) === 'Acme Trading');
});

test('An error is resolved once its cause is fixed; a recurrence is shown on both records', async () => {
  const token = await service.operator();
  const open = async () =>
    (await service.call<{ items: { id: string }[] }>('/api/platform/error-logs?resolved=false', { token })).items;
  await service.knockInVain(shop);
  await eventually(async () => (await open()).length > 0);
  await visitor.signIn(OPERATOR, '/errors');
  await page.getByRole('link', { name: /rejected repeatedly/ }).click();
  await page.waitForURL(/\/errors\/./);
  await page.getByText('GET /api/platform/tenants').first().waitFor();
  const first = page.url();
  await button('Resolve').click();
  await dialog().getByText('Have you fixed the cause?').waitFor();
  await dialog().getByRole('button', { name: 'Resolve' }).click();
  await dialog().waitFor({ state: 'detached' });
  await region('Error').getByText('Resolved', { exact: true }).first().waitFor();
  await button('Resolve').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Operator', exact: true }).waitFor();
  await page.getByRole('link', { name: 'All open errors' }).click();
  await page.getByText('There are no open errors.').waitFor();

  await service.knockInVain(shop);
  await eventually(async () => (await open()).length > 0);
  await page.goto(first);
  await page.getByText('This error has occurred again').waitFor();
  await page.getByRole('link', { name: 'Open the new record' }).click();
  const earlier = page.getByRole('alert').filter({ hasText: 'This error was resolved earlier' });
  await earlier.getByRole('link', { name: 'Operator', exact: true }).waitFor();
});

test('A tenant is created with its owner, deactivated and reactivated; errors appear at the fields', async () => {
  visitor.expects(/400/);
  await visitor.signIn(OPERATOR, '/tenants');
  await button('Create a tenant').click();
  const form = dialog();
  await form.getByLabel('Name').first().fill('Borealis Retail');
  await form.getByLabel('Full name').fill('Bo Real');
  await form.getByLabel('E-mail').fill('bo@borealis.example');
  await form.getByLabel('Initial password').fill('short');
  await form.getByRole('button', { name: 'Create a tenant' }).click();
  await form.getByText('Correct the marked field.').waitFor();
  expect(await form.getByLabel('Initial password').getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel('Initial password').fill('a long enough password');
  await form.getByRole('button', { name: 'Create a tenant' }).click();
  await page.getByRole('heading', { level: 1, name: 'Borealis Retail' }).waitFor();
  await page.getByText('borealis-retail').first().waitFor();

  const mayComeIn = () =>
    service.signIn('bo@borealis.example', 'a long enough password').then(
      () => true,
      () => false,
    );
  expect(await mayComeIn()).toBe(true);
  await button('Suspend').click();
  await dialog().getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Suspended').waitFor();
  await eventually(async () => !(await mayComeIn()));
  await button('Activate').click();
  await dialog().getByRole('button', { name: 'Activate' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  await eventually(mayComeIn);
});

test("An operator raises the rate limit of a tenant's key, and the new limit is visible to everyone", async () => {
  await visitor.signIn(OPERATOR, `/tenants/${shop.tenantId}`);
  await button('Rate limit: Web shop').click();
  await dialog().getByLabel('Requests per minute').fill('5000');
  await dialog().getByRole('button', { name: 'Set limit' }).click();
  await row('Web shop').getByText('5,000').waitFor();
  const limit = async () =>
    (
      await service.call<{ data: { rateLimit: number }[] }>('/api/integration-keys', { token: shop.ownerToken })
    ).data.map(({ rateLimit }) => rateLimit);
  expect(await limit()).toEqual([5_000]);
});

test("A tenant's page leads to its webhooks and its sessions", async () => {
  const body = { url: 'https://hooks.example/kontor', types: ['kontor.sale.*'] };
  await service.call('/api/webhooks', { token: shop.ownerToken, body });
  await visitor.signIn(OPERATOR, `/tenants/${shop.tenantId}`);
  const webhook = row('hooks.example');
  await webhook.getByText('Enabled').waitFor();
  expect(await webhook.textContent()).not.toContain('/kontor');
  await webhook.getByText('kontor.sale.*').waitFor();
  await webhook.getByRole('link', { name: 'History' }).click();
  await page.getByText('WebhookCreated').first().waitFor();
  await visitor.goTo(`/tenants/${shop.tenantId}`);
  await page.getByRole('link', { name: 'Webhook changes' }).click();
  await row('WebhookCreated').getByRole('link').first().click();
  await page.getByText('https://hooks.example/kontor').first().waitFor();
  await visitor.goTo(`/tenants/${shop.tenantId}`);
  await page.getByRole('link', { name: 'Sign-ins and sessions' }).click();
  await row('SessionStarted').getByText('Olga Owner').waitFor();
});

test('The last operator cannot be removed; another one can be created and removed', async () => {
  visitor.expects(/409/);
  await visitor.signIn(OPERATOR, '/operators');
  await row(OPERATOR.email)
    .getByRole('button', { name: /^Remove/ })
    .click();
  await dialog().getByText('(you)').waitFor();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await dialog().getByRole('alert').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await button('Create an operator').click();
  await dialog().getByLabel('Full name').fill('Otto Second');
  await dialog().getByLabel('E-mail').fill('otto@kontor.example');
  await dialog().getByLabel('Initial password').fill('a long enough password');
  await dialog().getByRole('button', { name: 'Create an operator' }).click();
  await button('Remove: Otto Second').click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await row('Otto Second').waitFor({ state: 'detached' });
});
