import {
  collection,
  correction,
  payment,
  reversal,
  saleInvoice,
  saleReturn,
  transfer,
} from '../src/aggregates/ledger.js';
import type { LedgerTransaction } from '../src/aggregates/ledger.js';
import { customerRecord } from '../src/aggregates/customer-fields.js';
import type { CustomerEvent } from '../src/aggregates/customer.aggregate.js';
import type { Recorded } from '../src/eventsourcing/event-catalogue.js';
import type { LedgerEvent } from '../src/projections/ledger-events.js';
import { mulberry32 } from '../test/support/manual-clock.js';

/** The tenant's records to which the generated events refer. */
export type Tenant = {
  readonly id: string;
  readonly accounts: Readonly<Record<'sales' | 'tax' | 'adjustments' | 'openingBalances', string>>;
  readonly money: readonly string[];
  readonly expenses: readonly string[];
  readonly branches: readonly string[];
  readonly categories: readonly string[];
};
export type Scale = { readonly seed: number; readonly customers: number; readonly transactions: number };
export type BenchEvent = Recorded<LedgerEvent | CustomerEvent>;

/** The history covers the years 2023 to 2025. */
const FIRST_DAY_MS = Date.UTC(2023, 0, 1);
const DAYS = 1_096;
const DAY_MS = 86_400_000;

const GIVEN =
  'Ada Ayşe Bora Can Çağla Deniz Elif Emre Fatma Gökçe Hasan İlker Işıl Jale Kemal Leyla Mehmet Mustafa Nur Oğuz Özge Pınar Rıza Selin Şule Tarık Umut Ümit Volkan Yağmur Zeynep Anna Bruno Clara David Eva Frank Greta Hugo Ida Jonas'.split(
    ' ',
  );
const FAMILY =
  'Yılmaz Kaya Demir Çelik Şahin Yıldız Aydın Öztürk Arslan Doğan Kılıç Aslan Çetin Kara Koç Kurt Özdemir Şimşek Polat Güneş Müller Schmidt Weber Wagner Becker Hoffmann Koch Richter Klein Wolf'.split(
    ' ',
  );
const TRADE =
  'Tekstil İnşaat Gıda Otomotiv Mobilya Kırtasiye Lojistik Turizm Elektronik Yazılım Handel Logistik Bau'.split(' ');
const FORM = ['A.Ş.', 'Ltd. Şti.', 'GmbH', 'Ticaret', '& Oğulları'];
const CITY = ['İstanbul', 'Ankara', 'İzmir', 'Bursa', 'Iğdır', 'Köln', 'Berlin', 'Wien'];
const NOTE = [
  'Kira ödemesi',
  'Elektrik faturası',
  'Office supplies',
  'İstanbul depo',
  'Şube masrafı',
  'Fuel',
  'Bank fee',
  'Maaş',
  'Insurance',
  'Çay ve kahve',
  'Monthly rent',
  'Consulting',
];

/** The most common filter value matches one third of the rows, and the rarest matches one row in ten thousand. */
const RARE = 0.0001;

/**
 * Generates one tenant's events from a seed, oldest first: new customers throughout, sales with payments, returns,
 * cancellations, and every kind of manually recorded transaction. A few transactions are backdated by up to two months.
 */
export class History {
  private readonly random: () => number;
  private readonly customerIds: string[] = [];
  /** Recent transactions, which can still be cancelled or returned. */
  private readonly recent: LedgerTransaction[] = [];
  private position: number;
  private atMs = FIRST_DAY_MS;
  private made = 0;

  constructor(
    private readonly tenant: Tenant,
    private readonly scale: Scale,
    firstPosition: number,
  ) {
    this.random = mulberry32(scale.seed);
    this.position = firstPosition;
  }

  *events(): Generator<BenchEvent> {
    const { customers, transactions } = this.scale;
    while (this.made < transactions || this.customerIds.length < customers) {
      const share = Math.max(this.made / transactions, 0);
      this.atMs = Math.max(this.atMs + 1, FIRST_DAY_MS + Math.floor(share * (DAYS - 1)) * DAY_MS + this.int(DAY_MS));
      // A tenth of the customers exist at the start.
      const due = Math.min(customers, Math.ceil(customers * (0.1 + share)));
      if (this.customerIds.length < due) yield this.customer();
      else yield this.ledgerEvent();
    }
  }

  private int(below: number): number {
    return Math.floor(this.random() * below);
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T;
  }

  /** The distribution is skewed towards the first values. The last value has a probability of one in ten thousand. */
  private skewed<T>(from: readonly T[]): T {
    if (this.random() < RARE) return from[from.length - 1] as T;
    return from[Math.floor(this.random() ** 2.5 * (from.length - 1))] as T;
  }

  private uuid(): string {
    const hex = (digits: number) =>
      this.int(16 ** digits)
        .toString(16)
        .padStart(digits, '0');
    const time = this.atMs.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-a${hex(3)}-${hex(6)}${hex(6)}`;
  }

  private amount(): string {
    return (1 + this.int(5_000_00) / 100).toFixed(2);
  }

  private date(): string {
    const back = this.random() < 0.03 ? this.int(60) : 0;
    return new Date(Math.max(FIRST_DAY_MS, this.atMs - back * DAY_MS)).toISOString().slice(0, 10);
  }

  private event<E extends LedgerEvent | CustomerEvent>(event: E, entity: string, recordId: string): Recorded<E> {
    this.position += 1;
    const id = this.uuid();
    const { id: tenantId } = this.tenant;
    const metadata = {
      ...{ tenantId, timestamp: new Date(this.atMs).toISOString(), version: 1, commandId: id, requestId: id },
      $correlationId: id,
    };
    const stream = `${entity}-${tenantId}_${recordId}`;
    return { ...event, id, stream, entity, tenantId, recordId, revision: 0, position: this.position, metadata };
  }

  private customer(): BenchEvent {
    const id = this.uuid();
    const n = this.customerIds.push(id);
    const isCompany = this.random() < 0.4;
    const family = this.pick(FAMILY);
    const name = isCompany ? `${family} ${this.pick(TRADE)} ${this.pick(FORM)}` : `${this.pick(GIVEN)} ${family}`;
    const opens = this.random() < 0.1;
    const facts = { id: this.uuid(), date: this.date(), currency: 'EUR', systemGenerated: true };
    const openingTransaction = opens
      ? correction(facts, {
          type: 'OPENING_BALANCE',
          subject: { customerId: id },
          direction: this.pick(['IN', 'OUT']),
          amount: this.amount(),
          balancingAccountId: this.tenant.accounts.openingBalances,
        })
      : null;
    if (opens) this.made += 1;
    const data = {
      ...customerRecord.otherwise,
      ...{ name, code: `C-${String(n).padStart(6, '0')}`, type: isCompany ? 'COMPANY' : 'INDIVIDUAL' },
      ...{ email: `k${n}@musteri.example`, phone: `+90 532 ${String(1_000_000 + n)}`, city: this.pick(CITY) },
      ...{ taxNumber: isCompany ? String(10_000_000_00 + n) : null, currency: 'EUR', isDefault: false, links: [] },
      ...{ status: this.random() < 0.05 ? 'PASSIVE' : 'ACTIVE', openingTransaction },
    } as Extract<CustomerEvent, { type: 'CustomerCreated' }>['data'];
    return this.event({ type: 'CustomerCreated', data }, 'customer', id);
  }

  /**
   * One in five transactions belongs to the first customer, which stands in for the default customer for anonymous
   * sales.
   */
  private anyCustomer(): string {
    const at = this.random() < 0.2 ? 0 : Math.floor(this.random() ** 2 * this.customerIds.length);
    return this.customerIds[at] ?? '';
  }

  private facts() {
    return {
      id: this.uuid(),
      date: this.date(),
      currency: 'EUR',
      branchId: this.random() < 0.25 ? null : this.skewed(this.tenant.branches),
      categoryId: this.random() < 0.4 ? null : this.skewed(this.tenant.categories),
    };
  }

  private ledgerEvent(): BenchEvent {
    const kind = this.random();
    const original = this.recent[this.int(this.recent.length)];
    if (original && kind < 0.02) return this.cancelled(original);
    if (kind < 0.6) return this.sale(kind < 0.05);
    return this.manual();
  }

  private cancelled(original: LedgerTransaction): BenchEvent {
    const facts = { id: this.uuid(), date: this.date(), systemGenerated: false };
    const effect = original.documentEffect === null ? null : 'CANCELLATION';
    const undo = this.noted(reversal(original, facts, effect));
    this.recent.splice(this.recent.indexOf(original), 1);
    return this.event(
      { type: 'TransactionCancelled', data: { reversal: undo, reason: 'Wrong' } },
      'transaction',
      original.id,
    );
  }

  private sale(isReturn: boolean): BenchEvent {
    const saleId = this.uuid();
    const { sales: salesAccountId, tax: taxAccountId } = this.tenant.accounts;
    const gross = this.amount();
    const tax = (Math.floor(Number(gross) * 16) / 100).toFixed(2);
    const net = (Number(gross) - Number(tax)).toFixed(2);
    const customerId = this.anyCustomer();
    const externalId = `web-${String(this.position).padStart(7, '0')}`;
    const shared = { ...this.facts(), saleId, sourceId: 'webshop', externalId, systemGenerated: true };
    const document = { customerId, salesAccountId, taxAccountId, net, tax, gross };
    const accountId = this.skewed(this.tenant.money);
    const paid = { ...shared, id: this.uuid(), description: `${isReturn ? 'Refund' : 'Payment'} of ${externalId}` };
    const description = `${isReturn ? 'Return' : 'Sale'} ${externalId}`;
    const transactions = isReturn
      ? [
          saleReturn({ ...shared, description }, document),
          payment(paid, { payee: { customerId }, accountId, amount: gross }),
        ]
      : [saleInvoice({ ...shared, description }, document), collection(paid, { customerId, accountId, amount: gross })];
    for (const each of transactions) this.noted(each);
    const data = { customerId, branchId: shared.branchId, date: shared.date, transactions };
    return isReturn
      ? this.event({ type: 'ReturnBooked', data: { ...data, saleId, externalId, gross } }, 'sale', saleId)
      : this.event({ type: 'SaleBooked', data }, 'sale', saleId);
  }

  private manual(): BenchEvent {
    const reference = this.random() < 0.3 ? `INV-${2023 + this.int(3)}/${String(this.made).padStart(6, '0')}` : null;
    const facts = { ...this.facts(), description: `${this.pick(NOTE)} ${this.pick(CITY)}`, reference };
    const transaction = this.noted(this.manualTransaction(facts));
    return this.event(
      { type: 'TransactionRecorded', data: { transaction, categorizedBy: null, fieldHashes: null } },
      'transaction',
      transaction.id,
    );
  }

  private manualTransaction(facts: ReturnType<History['facts']>): LedgerTransaction {
    const amount = this.amount();
    const accountId = this.skewed(this.tenant.money);
    const customerId = this.anyCustomer();
    const kind = this.random();
    if (kind < 0.45) return collection(facts, { customerId, accountId, amount });
    if (kind < 0.6) return payment(facts, { payee: { customerId }, accountId, amount });
    if (kind < 0.85)
      return payment(facts, { payee: { expenseItemId: this.skewed(this.tenant.expenses) }, accountId, amount });
    if (kind < 0.97) {
      const other = this.tenant.money.filter((id) => id !== accountId);
      return transfer(facts, { accountId, counterAccountId: this.skewed(other), amount });
    }
    return correction(facts, {
      ...{ type: 'ADJUSTMENT', subject: { customerId }, direction: this.pick(['IN', 'OUT']), amount },
      balancingAccountId: this.tenant.accounts.adjustments,
    });
  }

  private noted(transaction: LedgerTransaction): LedgerTransaction {
    this.made += 1;
    if (transaction.reversalOf === null) this.recent.push(transaction);
    if (this.recent.length > 5_000) this.recent.shift();
    return transaction;
  }
}
