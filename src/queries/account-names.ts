import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Account, account, type AccountType } from '../aggregates/account.aggregate.js';
import { type Customer, customer } from '../aggregates/customer.aggregate.js';
import type { EventMetadata } from '../eventsourcing/event-catalogue.js';
import { streamName } from '../eventsourcing/stream-name.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import { type BooksOf, scopeOf } from './ledger-sums.js';
import { ReadModels } from './query.js';
import { StreamHistory } from './stream-history.js';

/** An account as it appears in reports. */
export type NamedAccount = {
  readonly accountId: string;
  readonly code: string | null;
  readonly name: string;
  readonly type: AccountType;
};

/** Account classes, in the order of report sections. */
export const CLASSES = ['Assets', 'Liabilities', 'Equity', 'Income', 'Expenses'] as const;
export type AccountClass = (typeof CLASSES)[number];

/**
 * OTHER accounts count as cash accounts, because they receive payments. CREDIT_CARD accounts are liabilities, because
 * their balances are owed to the issuer.
 */
export const CLASS_OF: Readonly<Record<AccountType, AccountClass>> = {
  CUSTOMER: 'Assets',
  CASH: 'Assets',
  BANK: 'Assets',
  POS: 'Assets',
  OTHER: 'Assets',
  SUPPLIER: 'Liabilities',
  EMPLOYEE: 'Liabilities',
  CREDIT_CARD: 'Liabilities',
  TAX: 'Liabilities',
  EQUITY: 'Equity',
  INCOME: 'Income',
  EXPENSE: 'Expenses',
};

const TYPES = Object.keys(CLASS_OF) as AccountType[];
const READ_AT_ONCE = 500;

/** Looks up the names of accounts, current or as of an instant. */
@Injectable()
export class AccountNames {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(StreamHistory) private readonly history: StreamHistory,
  ) {}

  /** Returns the names by id. The result contains every given id. */
  async of(books: BooksOf, ids: readonly string[]): Promise<Map<string, NamedAccount>> {
    const found = new Map<string, NamedAccount>();
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const some = ids.slice(start, start + READ_AT_ONCE);
      const views = await this.models.getMany(accounts, scopeOf(books), some);
      for (const accountId of some) {
        const view = views.get(accountId);
        const { code = null, name = '' } = view ? await this.asKnown(books, view) : {};
        found.set(accountId, { accountId, code, name, type: view?.type ?? 'OTHER' });
      }
      await nextTurn();
    }
    return found;
  }

  /**
   * Returns the id and type of every account of a wanted type, including deleted accounts. An account's type never
   * changes.
   */
  async idsOf(books: BooksOf, isWanted: (type: AccountType) => boolean): Promise<Map<string, AccountType>> {
    const found = new Map<string, AccountType>();
    for (const type of TYPES.filter(isWanted))
      for await (const part of this.models.parts(accounts, scopeOf(books), { where: { type } }))
        for (const { id } of part) found.set(id, type);
    return found;
  }

  /** Returns accounts as they were at the instant. An account that changed afterwards is rebuilt from its stream. */
  private async asKnown(
    { tenantId, knownAt }: BooksOf,
    view: AccountView,
  ): Promise<Pick<AccountView, 'code' | 'name'>> {
    if (knownAt === undefined || view.updatedAt <= knownAt) return view;
    const { name: entity } = view.customerId === null ? account : customer;
    const reached = await this.history.reach(
      streamName(entity, tenantId, view.id),
      ({ metadata }) => (metadata as EventMetadata).timestamp <= knownAt,
    );
    const state = reached?.state as Account | Customer | undefined;
    return state === undefined || state.status === 'absent' ? view : state;
  }
}

export const byCode = (a: NamedAccount, b: NamedAccount): number =>
  compare(a.code ?? '', b.code ?? '') || compare(a.accountId, b.accountId);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
