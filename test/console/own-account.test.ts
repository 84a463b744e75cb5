import type { Page } from 'playwright-core';
import { codeAt, stepAt } from '../../src/security/totp.js';
import { decodedSecret } from '../support/authenticator-app.js';
import { type ConsoleService, eventually, type Shop } from '../support/console-service.js';
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
const PASSWORD = 'another secret';

/** Creates an operator and returns the credentials. */
async function newOperator(email: string): Promise<{ email: string; password: string }> {
  const body = { fullName: 'Otto Operator', email, password: PASSWORD };
  await service.call('/api/platform/operators', { token: await service.operator(), body });
  return { email, password: PASSWORD };
}

/**
 * Adds an authenticator app on the current page. Returns a function that computes the app's code for a later time step.
 */
async function addApp(): Promise<(steps: number) => string> {
  await button('Add an authenticator app').click();
  await dialog().getByRole('img', { name: 'QR code for the secret' }).waitFor();
  const secret = decodedSecret(await dialog().getByTestId('secret').innerText());
  const codeOf = (steps: number): string => codeAt(secret, stepAt(Date.now()) + steps);
  await dialog().getByRole('textbox', { name: 'Code' }).fill(codeOf(0));
  await page.keyboard.press('Enter');
  await dialog().getByText('Shown only once').waitFor();
  return codeOf;
}

async function storeCodes(): Promise<string[]> {
  const codes = (await dialog().getByTestId('secret').innerText()).split('\n');
  await dialog().getByLabel('I have stored the recovery codes in a safe place').check();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await dialog().waitFor({ state: 'detached' });
  return codes;
}

test('An authenticator app is added with its first code, shows ten recovery codes once, and is removed again', async () => {
  visitor.expects(/400/);
  const person = await newOperator('app@kontor.example');
  await visitor.signIn(person, '/account');
  await page.getByText('You sign in with only your password.').waitFor();
  await button('Add an authenticator app').click();
  await dialog().getByRole('textbox', { name: 'Code' }).fill('000000');
  await dialog().getByRole('button', { name: 'Confirm' }).click();
  await dialog().getByRole('textbox', { name: 'Code' }).and(page.locator('[aria-invalid=true]')).waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await dialog().getByRole('button', { name: 'Cancel' }).click();

  await addApp();
  await page.keyboard.press('Escape');
  expect(await storeCodes()).toHaveLength(10);
  await row('Authenticator app').waitFor();

  await page.getByRole('button', { name: /^Remove: Authenticator app/ }).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You sign in with only your password.').waitFor();
});

test('A passkey is added with the browser, and signs in', async () => {
  const person = await newOperator('passkey@kontor.example');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasUserVerification: true, isUserVerified: true },
  });
  // Browsers allow passkeys only on host names, not on IP addresses.
  const account = `${service.url.replace('127.0.0.1', 'localhost')}/console/account`;
  await page.goto(account);
  await visitor.fillIn(person.email, person.password);
  await button('Add a passkey').click();
  expect(await storeCodes()).toHaveLength(10);
  await row('Passkey').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
  await visitor.fillIn(person.email, person.password);
  await button('Use a passkey').click();
  await page.locator('#main').waitFor();
});

test('Sessions are listed with their devices; a session elsewhere is ended, but not this one', async () => {
  const person = await newOperator('sessions@kontor.example');
  const elsewhere = await service.signIn(person.email, person.password);
  await visitor.signIn(person, '/account');
  const own = row('This session');
  await own.getByText('Chrome on Linux').waitFor();
  expect(await own.getByRole('button').count()).toBe(0);
  await page.getByRole('button', { name: /^Sign out: node/ }).click();
  await dialog().getByRole('button', { name: 'Sign out' }).click();
  await dialog().waitFor({ state: 'detached' });
  await button('Sign out everywhere else').waitFor({ state: 'detached' });
  const isAlive = (): Promise<boolean> =>
    service.call('/api/auth/me', { token: elsewhere }).then(
      () => true,
      () => false,
    );
  await eventually(async () => !(await isAlive()));
});

test('A tenant that requires a factor leads its owner to the page that adds one; afterwards everything opens', async () => {
  visitor.expects(/403/);
  await visitor.signIn(shop.owner, '/settings');
  await button('Edit').click();
  await dialog().getByLabel('Second factor').click();
  await page.getByRole('option', { name: 'Required for owners and administrators' }).click();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByRole('link', { name: 'Add a second factor to your account' }).click();
  await addApp();
  await storeCodes();
  await page.getByRole('link', { name: 'Sign-in settings' }).click();
  await page.getByText('Required for owners and administrators').waitFor();
  expect(await visitor.barriers()).toEqual([]);
});
