// Texts in the German console: amounts, and error messages that the service sends in English.
import type { Locator, Page } from 'playwright-core';
import { OPERATOR, type ConsoleService, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

const anotherArrives = onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog } = handlesOf(() => page);
const field = (label: string): Locator => dialog().getByRole('textbox', { name: visitor.words(label) });

test('Errors of fields, requests and sign-ins are shown in German', async () => {
  await service.call('/api/periods/close', { token: shop.ownerToken, body: { through: '2025-12-31' } });
  await anotherArrives({ language: 'de' });
  visitor.expects(/40[019]/);
  await visitor.goTo('/accounts');
  await visitor.fillIn(shop.owner.email, 'a wrong password');
  await page.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.').waitFor();

  await visitor.fillIn(shop.owner.email, shop.owner.password);
  await button(visitor.words('Create an account')).click();
  await field('Name').fill('Noch eine Kasse');
  await field('Code').fill('102');
  await page.keyboard.press('Enter');
  await dialog().getByText('Ein anderes Konto oder ein Kunde hat diesen Code.').waitFor();
  await field('Code').fill('x'.repeat(500));
  await page.keyboard.press('Enter');
  await dialog()
    .getByText(/^Darf höchstens \d+ Zeichen haben\.$/)
    .waitFor();

  await visitor.goTo('/transactions');
  await button(visitor.words('Record a transaction')).click();
  await dialog()
    .getByRole('combobox', { name: visitor.words('Type') })
    .click();
  await page.getByRole('option', { name: visitor.words('Payment'), exact: true }).click();
  await dialog()
    .getByRole('button', { name: visitor.words('verb| Record'), exact: true })
    .click();
  const choice = 'Wählen Sie entweder einen Kunden, einen Lieferanten oder Mitarbeiter oder einen Aufwand.';
  await dialog().getByText(choice).first().waitFor();
  expect(await dialog().getByText('Muss angegeben werden.').count()).toBe(2);
  await field('Amount').press('Control+a');
  await page.keyboard.type('-5');
  await page.keyboard.press('Enter');
  await dialog().getByText('Muss eine Zahl ohne Minuszeichen sein, zum Beispiel 1.250,00.').waitFor();

  await visitor.goTo('/periods');
  await button(visitor.words('Close a period')).click();
  await dialog().getByLabel(visitor.words('Close through')).fill('2025-11-30');
  await page.keyboard.press('Enter');
  await dialog()
    .getByText(
      'Die Bücher sind bis zum 31.12.2025 abgeschlossen. Für ein früheres Datum öffnen Sie die Periode wieder.',
    )
    .waitFor();
});

test('A reversed period is explained in German, with the labels of the fields', async () => {
  const { items: accounts } = await service.call<{ items: readonly { id: string }[] }>(
    '/api/accounts?pageNumber=1&pageSize=1',
    { token: shop.ownerToken },
  );
  await anotherArrives({ language: 'de' });
  visitor.expects(/400/);
  await visitor.goTo('/reports/general-ledger?from=2026-02-01&to=2026-01-01');
  await visitor.fillIn(shop.owner.email, shop.owner.password);
  await page.getByText('Bis: Darf nicht vor dem Anfang liegen.', { exact: true }).waitFor();
  await visitor.goTo('/sales?dateFrom=2026-02-01&dateTo=2026-01-01');
  await page.getByText('Bis: Darf nicht vor dem Anfang liegen.', { exact: true }).waitFor();
  await visitor.goTo(`/accounts/${accounts[0]?.id ?? ''}?beginDate=2026-02-01&endDate=2026-01-01`);
  await page.getByText('Von: Darf nicht nach dem Ende liegen.', { exact: true }).waitFor();

  await anotherArrives({ language: 'en' });
  visitor.expects(/400/);
  await visitor.goTo('/reports/general-ledger?from=2026-02-01&to=2026-01-01');
  await visitor.fillIn(shop.owner.email, shop.owner.password);
  await page.getByText('To: Must not be before “From”.', { exact: true }).waitFor();
});

test('A German viewer reads which account or branch is missing for a rejected sale', async () => {
  await service.sell(shop, 'web-8', { branchCode: 'HARBOUR' });
  await service.sell(shop, 'web-9', { payments: [{ method: 'CASH', amount: '119.00', accountCode: '999X' }] });
  await service.saleIs(shop, 'web-8', 'REJECTED');
  await service.saleIs(shop, 'web-9', 'REJECTED');
  await anotherArrives({ language: 'de' });
  await visitor.goTo('/sales');
  await visitor.fillIn(shop.owner.email, shop.owner.password);
  const branch = 'Die Filiale HARBOUR gibt es nicht. Legen Sie sie an, oder berichtigen Sie den Code der Filiale.';
  const account =
    'Das Konto 999X gibt es nicht, oder es gehört zu einem Kunden. Legen Sie es an, oder berichtigen Sie die Kontonummer.';
  await page.getByRole('cell').getByText(branch, { exact: true }).waitFor();
  await page.getByRole('cell').getByText(account, { exact: true }).waitFor();
  await page.getByRole('link', { name: 'web-9' }).click();
  await page.getByRole('alert').getByText(account, { exact: true }).waitFor();
  await visitor.goTo('/audit-log');
  await page.getByText('abgelehnt: die Filiale fehlt oder ist inaktiv').first().waitFor();
  await page.getByText('Der Dienst (Verbuchung)').first().waitFor();
  await page
    .getByText(/^Verkauf, [a-zäöü]+$/)
    .first()
    .waitFor();
});

test('A German operator reads results of jobs, errors and notifications in German', async () => {
  const token = await service.operator();
  await service.call('/api/platform/jobs/trigger', { token, body: { jobName: 'session-cleanup' } });
  await service.knockInVain(shop);
  await service.sell(shop, 'web-1', { branchCode: 'NOWHERE' });
  await anotherArrives({ language: 'de' });
  await visitor.goTo('/jobs/session-cleanup');
  await visitor.fillIn(OPERATOR.email, OPERATOR.password);
  await page.getByRole('definition').getByText('0 Sitzungen beendet.').waitFor();
  await page.getByRole('log').getByText('0 Sitzungen beendet.').waitFor();

  await visitor.goTo('/jobs');
  await page.getByRole('cell', { name: '0 Sitzungen beendet.' }).waitFor();
  await visitor.goTo('/errors');
  await page.getByRole('link', { name: /^Anfragen .* werden wiederholt abgelehnt\.$/ }).click();
  await page.getByRole('heading', { level: 1, name: /^Anfragen .* werden wiederholt abgelehnt\.$/ }).waitFor();
  await page.keyboard.press('Control+k');
  await dialog().getByRole('combobox').fill('rejected');
  await dialog()
    .getByRole('option', { name: /^Anfragen .* werden wiederholt abgelehnt\./ })
    .waitFor();
  await page.keyboard.press('Escape');
  await visitor.goTo('/notifications');
  await page.getByText('Unzustellbare Ereignisse (Verkauf eines Partners)').waitFor();
  await page.getByText('Ein unzustellbares Ereignis wartet auf eine Entscheidung.').waitFor();
});

test('A German viewer sees the right totals and tax in a currency with three decimals', async () => {
  const { owner } = await service.openShop('Dinar Trading', 'KWD');
  await anotherArrives({ language: 'de' });
  await visitor.goTo('/transactions');
  await visitor.fillIn(owner.email, owner.password);
  await button(visitor.words('Journal entry')).click();
  const line = (number: number): Locator => dialog().getByRole('group', { name: `Zeile ${number}` });
  const choose = async (number: number, account: string): Promise<void> => {
    await line(number).getByLabel(visitor.words('Account')).first().click();
    await page.getByRole('option', { name: account }).click();
  };
  await choose(1, 'Bank');
  await line(1).getByLabel(visitor.words('Debit')).fill('11,900');
  await dialog().getByLabel(visitor.words('Tax rate, %')).fill('19');
  await button('Steuer aus Zeile 1 herausrechnen').click();
  expect(await line(1).getByLabel(visitor.words('Debit')).inputValue()).toBe('10,000');
  expect(await line(2).getByLabel(visitor.words('Debit')).inputValue()).toBe('1,900');
  await choose(2, 'Tax');
  await line(3).getByLabel(visitor.words('Credit')).fill('11,900');
  await choose(3, 'Cash');
  await button(visitor.words('verb| Record')).click();
  await page
    .getByRole('region', { name: visitor.words('Postings') })
    .locator('[data-label="Soll"]', { hasText: /^11,900$/ })
    .waitFor();
});

test('A German viewer reads the same terms in lists as in forms', async () => {
  await service.sell(shop, 'web-2', { payments: [{ method: 'CASH', amount: '119.00' }] });
  await service.saleIs(shop, 'web-2', 'BOOKED');
  await anotherArrives({ language: 'de' });
  await visitor.goTo('/sales');
  await visitor.fillIn(shop.owner.email, shop.owner.password);
  await page.getByRole('link', { name: 'web-2' }).click();
  await page.getByRole('cell', { name: '19\u00a0%', exact: true }).waitFor();
  await page.getByRole('cell', { name: 'Bar', exact: true }).waitFor();
  await page.getByRole('columnheader', { name: 'Zahlungsart' }).waitFor();
  expect(visitor.words('run| Cancelled')).toBe('Abgebrochen');
});
