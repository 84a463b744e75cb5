import { CommandBus } from '@nestjs/cqrs';
import { SalePayload } from '../aggregates/sale-payload.js';
import { TakeSale } from '../integration/sale-intake.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import type { Service } from './service.js';

export const DEMO_CURRENCY = 'EUR';
export const DEMO_SOURCE = 'demo-shop';

const DAY_MS = 86_400_000;
const DAYS = 365;
const AT_ONCE = 50;
/** Number of paid sales per return. The return is dated three days after the sale. */
const RETURNED_EVERY = 40;
const RETURNED_AFTER_DAYS = 3;

const names = ['Acme', 'Bakery Nord', 'Cafe Luna', 'Dekor', 'Elbe Books', 'Fjord Fish', 'Gardenia', 'Hafen Hotel'];
const forms = ['GmbH', 'KG', 'Ltd', 'SARL', 'AG'];
const goods = [
  ['Coffee beans, 1 kg', 18.9, 7],
  ['Paper cups, 1000', 49, 19],
  ['Espresso machine', 1290, 19],
  ['Grinder', 349, 19],
  ['Service visit', 120, 19],
  ['Filter set', 24.5, 19],
] as const;
const methods = ['CASH', 'CARD', 'BANK'] as const;

/** Lehmer generator (Park and Miller 1988). It makes the demo identical on every machine. */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

type Pushed = {
  readonly externalId: string;
  readonly occurredAt: string;
  readonly lines: readonly object[];
  readonly payments: readonly object[];
};

/**
 * Submits a year of plausible sales, up to yesterday, through the partner intake. Then submits some returns, and a sale
 * for an unknown branch. That sale is rejected until the branch is created.
 */
export async function seedSales({ app, engines }: Service, tenantId: string): Promise<void> {
  const commands = app.get(CommandBus);
  const random = lehmer(20_260_101);
  const todayMs = Math.floor(engines.clock.nowMs() / DAY_MS) * DAY_MS;
  const sales = Array.from({ length: DAYS }, (_, index) => salesOf(todayMs - (DAYS - index) * DAY_MS, random)).flat();
  const push = async (some: readonly object[]): Promise<void> => {
    await Promise.all(
      some.map((received) => {
        const intake = { tenantId, sourceId: DEMO_SOURCE, idempotencyKey: undefined, received, isOnlyValidated: false };
        const command = new TakeSale({ ...intake, payload: SalePayload.parse(received) });
        return inContext({ ...currentContext(), commandId: engines.ids.next() }, () => commands.execute(command));
      }),
    );
  };
  for (let start = 0; start < sales.length; start += AT_ONCE) await push(sales.slice(start, start + AT_ONCE));
  const last = sales.at(-1);
  await push([
    ...returnsOf(sales, todayMs),
    ...(last ? [{ ...last, externalId: 'demo-harbour', branchCode: 'HARBOUR' }] : []),
  ]);
}

function returnsOf(sales: readonly Pushed[], todayMs: number): object[] {
  const paid = sales.filter(({ payments }) => payments.length > 0);
  return paid.flatMap(({ externalId, occurredAt, lines, payments }, index) => {
    const atMs = Date.parse(occurredAt) + RETURNED_AFTER_DAYS * DAY_MS;
    if (index % RETURNED_EVERY !== 0 || atMs >= todayMs) return [];
    const facts = { externalId: `${externalId}-back`, occurredAt: new Date(atMs).toISOString(), lines, payments };
    return [{ ...facts, type: 'RETURN', relatedExternalId: externalId, currency: DEMO_CURRENCY }];
  });
}

function salesOf(dayMs: number, random: () => number): Pushed[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const count = 1 + Math.floor(random() * 4);
  return Array.from({ length: count }, (_, index) => {
    const [description, price, taxRate] = pick(goods);
    const quantity = price > 500 ? 1 : 1 + Math.floor(random() * 5);
    const grossCents = Math.round(Math.round(price * 100) * quantity * (1 + taxRate / 100));
    const name = `${pick(names)} ${pick(forms)}`;
    const isPaid = random() < 0.8;
    return {
      externalId: `demo-${new Date(dayMs).toISOString().slice(0, 10)}-${index + 1}`,
      occurredAt: new Date(dayMs + (8 + Math.floor(random() * 10)) * 3_600_000).toISOString(),
      currency: DEMO_CURRENCY,
      ...(random() < 0.9 && { customer: { externalId: name.toLowerCase().replaceAll(' ', '-'), name } }),
      lines: [{ description, quantity, unitPrice: price.toFixed(2), taxRate }],
      payments: isPaid ? [{ method: pick(methods), amount: (grossCents / 100).toFixed(2) }] : [],
    };
  });
}
