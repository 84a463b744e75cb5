import type { Page } from 'playwright-core';
import { codeAt, stepAt } from '../../src/security/totp.js';
import { decodedSecret } from '../support/authenticator-app.js';
import { OPERATOR, type ConsoleService, type Shop } from '../support/console-service.js';
import { onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;
onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const PASSWORD = 'another secret';

/** Creates an operator and returns an access token. */
async function newOperator(email: string): Promise<string> {
  const body = { fullName: 'Otto Operator', email, password: PASSWORD };
  await service.call('/api/platform/operators', { token: await service.operator(), body });
  return service.signIn(email, PASSWORD);
}

/** Adds an authenticator app. Returns its secret and the recovery codes. */
async function addApp(token: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const added = await service.call<{ data: { id: string; secret: string } }>('/api/auth/factors', {
    token,
    body: { type: 'TOTP' },
  });
  const { id, secret } = added.data;
  const confirm = { token, body: { code: codeAt(decodedSecret(secret), stepAt(Date.now())) } };
  const path = `/api/auth/factors/${id}/confirm`;
  const confirmed = await service.call<{ data: { recoveryCodes: string[] } }>(path, confirm);
  return { secret, recoveryCodes: confirmed.data.recoveryCodes };
}

test('An account with an authenticator app signs in with a code, or with a recovery code', async () => {
  visitor.expects(/401/);
  const email = 'app@kontor.example';
  const { secret, recoveryCodes } = await addApp(await newOperator(email));
  const codeOf = (steps: number): string => codeAt(decodedSecret(secret), stepAt(Date.now()) + steps);
  await visitor.goTo('/jobs');
  await visitor.fillIn(email, PASSWORD);
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').getByText('The code or passkey was not accepted').waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await visitor.fillIn(email, PASSWORD);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('#main').waitFor();
});

test('An account with a passkey signs in with it, in a browser with a virtual authenticator', async () => {
  const email = 'passkey@kontor.example';
  const token = await newOperator(email);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasUserVerification: true, isUserVerified: true },
  });
  // Browsers allow passkeys only on host names, not on IP addresses.
  const local = service.url.replace('127.0.0.1', 'localhost');
  await page.goto(`${local}/console/jobs`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  const status = await page.evaluate(`(async () => {
    const ask = (path, body) => fetch('/api/auth/factors' + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ${token}' },
      body: JSON.stringify(body),
    });
    const { data: { id, options } } = await (await ask('', { type: 'PASSKEY' })).json();
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = (await navigator.credentials.create({ publicKey })).toJSON();
    return (await ask('/' + id + '/confirm', { credential })).status;
  })()`);
  expect(status).toBe(200);
  await visitor.fillIn(email, PASSWORD);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
});

test('An operation that requires a recent sign-in asks for the password, then continues', async () => {
  visitor.expects(/403/);
  const email = 'late@kontor.example';
  await newOperator(email);
  await visitor.signIn({ email, password: PASSWORD }, '/operators');
  // Simulates a sign-in that took place ten minutes ago.
  const body = { statusCode: 403, code: 'STEP_UP_REQUIRED', message: 'Prove again who you are.', requestId: 'r' };
  let isLate = true;
  await page.route('**/api/platform/operators', async (route) => {
    if (!isLate || route.request().method() !== 'POST') return route.continue();
    isLate = false;
    return route.fulfill({ status: 403, json: body });
  });
  await page.getByRole('button', { name: 'Create an operator' }).click();
  const form = page.getByRole('dialog', { name: 'Create an operator' });
  await form.getByLabel('Full name').fill('Nora New');
  await form.getByLabel('E-mail').fill('nora@kontor.example');
  await form.getByLabel('Initial password').fill('a long enough secret');
  await form.locator('button[type=submit]').click();
  const question = page.getByRole('dialog', { name: 'Confirm your identity' });
  await question.getByLabel(/^Password/).fill(PASSWORD);
  await question.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('row').filter({ hasText: 'Nora New' }).waitFor();
});

test('Administrators and operators remove the lost factors of another person', async () => {
  visitor.expects(/401/);
  const user = { email: `ula@${shop.owner.email.split('@')[1] ?? ''}`, password: PASSWORD };
  const person = { fullName: 'Ula User', ...user, role: 'USER' };
  await service.call('/api/users', { token: shop.ownerToken, body: person });
  await addApp(await service.signIn(user.email, PASSWORD));
  const operator = 'lost@kontor.example';
  await addApp(await newOperator(operator));

  const remove = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: `Remove second factors: ${name}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove second factors' });
    expect(await visitor.barriers()).toEqual([]);
    await dialog.getByLabel('Reason').fill('Lost the phone.');
    await dialog.locator('button[type=submit]').click();
    await dialog.getByText(`All second factors for ${name} have been removed.`).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    // A second removal fails, because the account no longer has any factors.
    await page.getByRole('button', { name: `Remove second factors: ${name}` }).click();
    await dialog.getByLabel('Reason').fill('Once more.');
    visitor.expects(/409/);
    await dialog.locator('button[type=submit]').click();
    await dialog.getByText('The account has no second factors.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  };
  await visitor.signIn(shop.owner, '/users');
  await page.getByRole('row').filter({ hasText: 'Ula User' }).waitFor();
  expect(await page.getByRole('button', { name: 'Remove second factors: Olga Owner' }).count()).toBe(0);
  await remove('Ula User');
  expect(await service.signIn(user.email, PASSWORD)).toMatch(/^ey/);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await visitor.signIn(OPERATOR, '/operators?search=lost');
  await remove('Otto Operator');
  expect(await service.signIn(operator, PASSWORD)).toMatch(/^ey/);
});
