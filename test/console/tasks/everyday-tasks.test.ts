// Twelve everyday tasks, each performed once with the mouse and once with the keyboard alone. No task takes more than
// six clicks. The table in docs/console/tasks.md must list the same click counts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { ConsoleService, eventually, OPERATOR, type Shop } from '../../support/console-service.js';
import { handlesOf } from '../../support/console-stage.js';
import { Keyboard, Mouse, type Hands } from '../../support/task-hands.js';
import { launch, Visitor } from '../../support/visitor.js';

const MOST_CLICKS = 6;
const KINDS = ['mouse', 'keyboard'] as const;
type Kind = (typeof KINDS)[number];
/** Branch code and closing date for each of the two input methods. */
const FACTS = {
  mouse: { branch: 'EAST', through: '2026-01-31' },
  keyboard: { branch: 'WEST', through: '2026-02-28' },
} as const;

let service: ConsoleService;
let shop: Shop;
let browser: Browser;
let owner: Visitor;
let operator: Visitor;
let page: Page;
const { button, dialog, row, title } = handlesOf(() => page);

type Answer<T> = { readonly data: T };
const mine = <T>(path: string, body?: unknown, method?: string): Promise<T> =>
  service.call(path, {
    token: shop.ownerToken,
    ...(body !== undefined && { body }),
    ...(method !== undefined && { method }),
  });
const category = { name: 'Quay bonuses', direction: 'BOTH' };

/** Creates the records that the tasks require, for the mouse or for the keyboard. */
async function furnish(kind: Kind, bank: string): Promise<void> {
  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', { name: `Brew by ${kind}` });
  await mine(`/api/customers/${customer.id}`, { name: `Brew & Co by ${kind}` }, 'PATCH');
  const collect = {
    type: 'COLLECTION',
    date: '2026-03-12',
    amount: '1200.50',
    customerId: customer.id,
    accountId: bank,
  };
  await mine('/api/transactions', { ...collect, description: `typed by ${kind}` });
  await mine('/api/transactions', { ...collect, description: `${kind} quay bonus` });
  await mine('/api/integration-keys', { name: `Till of ${kind}`, sourceId: `till-${kind}` });
  const { branch } = FACTS[kind];
  await service.sell(shop, `web-${kind}`, { branchCode: branch });
  await service.sell(shop, `lost-${kind}`, { branchCode: 'NOWHERE' });
  await service.sell(shop, `traced-${kind}`);
  await service.saleIs(shop, `web-${kind}`, 'REJECTED');
  await service.saleIs(shop, `lost-${kind}`, 'REJECTED');
  await service.saleIs(shop, `traced-${kind}`, 'BOOKED');
}

beforeAll(async () => {
  [service, browser] = await Promise.all([ConsoleService.start(), launch()]);
  shop = await service.openShop();
  const { data: accounts } = await mine<Answer<{ id: string }[]>>('/api/accounts/lookup?search=Bank');
  await mine('/api/transaction-categories', category);
  await Promise.all(KINDS.map((kind) => furnish(kind, accounts[0]?.id ?? '')));
  [owner, operator] = await Promise.all([Visitor.arrives(browser, service.url), Visitor.arrives(browser, service.url)]);
  await Promise.all([owner.signIn(shop.owner), operator.signIn(OPERATOR)]);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const field = (label: string): Locator => dialog().getByLabel(label).first();
const combobox = (label: string): Locator =>
  page
    .getByRole('combobox', { name: label })
    .or(page.getByRole('textbox', { name: label }))
    .first();
const submit = (hands: Hands, name: string): Promise<void> =>
  hands.press(dialog().getByRole('button', { name, exact: true }).last());
const attention = (text: string): Locator =>
  page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').filter({ hasText: text });

/** Confirms that a secret is stored, and closes its dialog. */
async function store(hands: Hands): Promise<void> {
  await hands.press(dialog().getByRole('checkbox'));
  await submit(hands, 'Done');
  await dialog().waitFor({ state: 'detached' });
}

type Task = {
  readonly name: string;
  readonly who: 'owner' | 'operator';
  readonly perform: (hands: Hands) => Promise<void>;
};

const TASKS: readonly Task[] = [
  {
    name: 'Find out why a sale was rejected, and fix the cause',
    who: 'owner',
    perform: async (hands) => {
      const { branch } = FACTS[hands.name];
      await hands.press(attention('rejected').getByRole('link', { name: 'Review and fix' }));
      await hands.press(row(`web-${hands.name}`).getByRole('link').first());
      await page.getByRole('alert').getByText(`The branch ${branch} does not exist.`).waitFor();
      await hands.press(button(`Create the branch ${branch}`));
      await hands.type(field('Name'), `Branch ${branch}`);
      await submit(hands, 'Create');
      await page.getByRole('region', { name: 'Details' }).getByText('Booked').waitFor();
    },
  },
  {
    name: 'Correct the amount of a transaction',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Transactions');
      await hands.press(row(`typed by ${hands.name}`).getByRole('link').first());
      await hands.press(button('Correct'));
      await hands.type(field('Reason'), 'One digit too many.');
      await hands.type(field('Amount'), '120.05');
      await submit(hands, 'Book correction');
      await page.getByRole('region', { name: 'Related transactions' }).getByText('Replaces').waitFor();
    },
  },
  {
    name: 'Record a payment from a customer',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Transactions');
      await hands.press(button('Record a transaction'));
      await hands.type(field('Amount'), '55.00');
      await hands.choose(dialog().getByRole('combobox', { name: 'From customer' }), `Brew & Co by ${hands.name}`);
      await hands.choose(dialog().getByRole('combobox', { name: 'Into account' }), 'Bank');
      await submit(hands, 'Record');
      await title('Collection').waitFor();
    },
  },
  {
    name: 'Close a month',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Periods');
      await hands.press(button('Close a period'));
      await hands.type(field('Close through'), FACTS[hands.name].through);
      await hands.type(field('Note'), `Filed by ${hands.name}.`);
      await submit(hands, 'Close');
      await row(`Filed by ${hands.name}.`).waitFor();
    },
  },
  {
    name: 'Find out who renamed a customer',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Customers');
      await hands.press(page.getByRole('link', { name: `Brew & Co by ${hands.name}` }));
      await row('updated: name').getByText('Olga Owner').waitFor();
    },
  },
  {
    name: 'Download the trial balance of the last quarter as CSV',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Reports');
      await hands.press(page.getByRole('main').getByRole('link', { name: 'Trial balance', exact: true }));
      await hands.choose(combobox('Period'), 'Last quarter');
      await page.waitForURL(/from=/);
      const [file] = await Promise.all([page.waitForEvent('download'), hands.press(button('Download CSV'))]);
      expect(file.suggestedFilename()).toMatch(/-trial-balance-\d{4}-\d\d-01-\d{4}-\d\d-3[01]\.csv$/);
    },
  },
  {
    name: 'Add a webhook',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Webhooks');
      await hands.press(button('Create a webhook'));
      await hands.type(field('Events'), 'kontor.sale.*');
      await hands.type(field('Address'), `https://hooks.example/${hands.name}`);
      await submit(hands, 'Create a webhook');
      await store(hands);
      await row(`https://hooks.example/${hands.name}`).waitFor();
    },
  },
  {
    name: 'Replay dead letters in bulk',
    who: 'operator',
    perform: async (hands) => {
      await hands.press(attention('dead letter').getByRole('link'));
      await hands.press(button('Replay all'));
      await submit(hands, 'Count');
      await hands.press(dialog().getByRole('button', { name: /^Replay \d+ dead letters?$/ }));
      await title('dead-letter-replay').waitFor();
      await page.getByRole('region', { name: 'Run', exact: true }).getByText('Succeeded').waitFor();
    },
  },
  {
    name: 'Rotate a partner key',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Partner keys');
      await hands.press(button(`Rotate: Till of ${hands.name}`));
      await submit(hands, 'Rotate');
      await store(hands);
    },
  },
  {
    name: 'Add a user',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Users');
      await hands.press(button('Create a user'));
      await hands.type(field('Name'), `Carla by ${hands.name}`);
      await hands.type(field('E-mail'), `carla-${hands.name}@${shop.owner.email.split('@')[1] ?? ''}`);
      await hands.type(field('Password'), 'quite another secret');
      await submit(hands, 'Create a user');
      await row(`Carla by ${hands.name}`).waitFor();
    },
  },
  {
    name: 'Create a rule, and apply it to past transactions',
    who: 'owner',
    perform: async (hands) => {
      await hands.goTo('Category rules');
      await hands.press(button('Create a rule'));
      await hands.choose(dialog().getByRole('combobox', { name: 'Category' }), category.name);
      await hands.type(field('Keyword'), `${hands.name} quay bonus`);
      await submit(hands, 'Create a rule');
      await dialog().getByText('The category of 1 transaction would change').waitFor();
      await submit(hands, 'Apply');
      await title('Applied rules').waitFor();
      await row(category.name).first().getByText('Done').waitFor();
    },
  },
  {
    name: 'Trace a sale by its correlation ID',
    who: 'operator',
    perform: async (hands) => {
      await hands.goTo('Events');
      await hands.type(page.getByLabel('Correlation ID'), await correlationOf(`traced-${hands.name}`));
      await page.waitForURL(/correlationId=/);
      // Waits until the rows of other sales have disappeared.
      await expectOne(row('SaleBooked'));
      await hands.press(row('SaleBooked').locator('summary'));
      await page.getByRole('region', { name: 'Metadata as JSON' }).waitFor();
      await row('SaleAccepted').waitFor();
    },
  },
];

/** Resolves when exactly one element matches. */
const expectOne = (rows: Locator): Promise<void> => eventually(async () => (await rows.count()) === 1);

/** Returns the correlation id of the request that pushed a sale. */
async function correlationOf(externalId: string): Promise<string> {
  const { saleId } = await service.call<{ saleId: string }>(`/api/integrations/v1/sales/${externalId}`, {
    key: shop.key,
  });
  const path = `/api/platform/streams/sale/${saleId}/events?tenantId=${shop.tenantId}`;
  const { items } = await service.call<{ items: { metadata: Record<string, string> }[] }>(path, {
    token: await service.operator(),
  });
  return items[0]?.metadata['$correlationId'] ?? '';
}

const clicks = new Map<string, number>();

describe.each(TASKS)('$name', ({ name, who, perform }) => {
  beforeEach(async () => {
    const visitor = who === 'owner' ? owner : operator;
    ({ page } = visitor);
    await visitor.goTo('/');
  });
  afterEach(() => {
    expect([...owner.complaints, ...operator.complaints]).toEqual([]);
  });

  test(`with at most ${MOST_CLICKS} clicks`, async () => {
    const mouse = new Mouse(page);
    await perform(mouse);
    clicks.set(name, mouse.clicks);
    expect(mouse.clicks).toBeLessThanOrEqual(MOST_CLICKS);
  });

  test('with the keyboard alone', () => perform(new Keyboard(page)));
});

test('The table of the tasks has the counted clicks', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/console/tasks.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (.+?) +\| +.+? +\| +(\d+) +\|$/gm)].map(([, name = '', count]) => [
    name,
    Number(count),
  ]);
  expect(rows).toEqual([...clicks]);
});
