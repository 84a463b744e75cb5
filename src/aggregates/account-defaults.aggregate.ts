import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, type DomainError } from '../eventsourcing/domain-error.js';
import { streamName } from '../eventsourcing/stream-name.js';
import { DEFAULT_OF_TYPE, StoredAccountType } from './account.aggregate.js';

/**
 * One record per tenant contains all default accounts, so that concurrent requests cannot set two defaults for the same
 * account type.
 */
export const accountDefaultsEvents = {
  DefaultAccountsSeeded: technical(z.object({ defaults: z.record(z.string(), z.string()) })),
  DefaultAccountSet: domain(
    'UPDATE',
    'account',
    z.object({
      type: StoredAccountType,
      accountId: z.string().nullable(),
      previousId: z.string().nullable(),
      /**
       * Set if the same request also appended an event to the account's stream. In that case, the account's revision
       * already counts the request.
       */
      isCounted: z.exactOptional(z.literal(true)),
    }),
    { subject: ({ accountId, previousId }) => accountId ?? previousId },
  ),
};
export type AccountDefaultsEvent = EventOf<typeof accountDefaultsEvents>;

export type AccountDefaults = {
  readonly isSeeded: boolean;
  readonly byType: Readonly<Record<string, string>>;
  /**
   * Number of changes that this stream records for each account. The account's revision adds them to the events in the
   * account's stream.
   */
  readonly changes: Readonly<Record<string, number>>;
};

type DefaultSet = Extract<AccountDefaultsEvent, { type: 'DefaultAccountSet' }>['data'];

/** Returns the accounts whose revisions the change increments: the new default and the previous one. */
export function changedBy({ accountId, previousId, isCounted }: DefaultSet): readonly string[] {
  const subject = accountId ?? previousId;
  return [accountId, previousId].filter((id): id is string => id !== null && !(id === subject && isCounted));
}

export const inactiveDefault = (): DomainError =>
  conflict('ACCOUNT_INACTIVE', 'The account is inactive or deleted. Only an active account can be the default.');

export const ACCOUNT_DEFAULTS_ID = 'accounts';

export const accountDefaults: Aggregate<AccountDefaults, AccountDefaultsEvent> = {
  name: 'defaults',
  events: accountDefaultsEvents,
  initial: { isSeeded: false, byType: {}, changes: {} },
  evolve: (state, event) => {
    switch (event.type) {
      case 'DefaultAccountsSeeded':
        return { ...state, isSeeded: true, byType: event.data.defaults };
      case 'DefaultAccountSet': {
        const { type, accountId } = event.data;
        const others = Object.fromEntries(Object.entries(state.byType).filter(([known]) => known !== type));
        const changes = { ...state.changes };
        for (const id of changedBy(event.data)) changes[id] = (changes[id] ?? 0) + 1;
        return { ...state, byType: accountId === null ? others : { ...others, [type]: accountId }, changes };
      }
    }
  },
  memberships: [
    {
      name: DEFAULT_OF_TYPE,
      of: ({ byType }, tenantId) => ({
        keeps: false,
        uses: Object.values(byType).map((id) => streamName('account', tenantId, id)),
      }),
      staysWhile: 'used',
      refusal: { code: 'DEFAULTS_IN_USE', message: 'The default accounts are in use.' },
      gone: inactiveDefault,
    },
  ],
};

/** Sets a new tenant's defaults. Later calls return `[]`, even if the defaults have changed in the meantime. */
export const seedDefaultAccounts = (
  state: AccountDefaults,
  { defaults }: { readonly defaults: Readonly<Record<string, string>> },
): AccountDefaultsEvent[] =>
  state.isSeeded ? [] : [{ type: 'DefaultAccountsSeeded', data: { defaults: { ...defaults } } }];

export type SetDefault = {
  readonly type: StoredAccountType;
  readonly accountId: string;
  /** Whether the account's own events have already incremented its revision for this request. */
  readonly isCounted?: boolean;
};

const defaultSet = (
  { type, isCounted = false }: SetDefault,
  accountId: string | null,
  previousId: string | null,
): AccountDefaultsEvent[] => [
  { type: 'DefaultAccountSet', data: { type, accountId, previousId, ...(isCounted && { isCounted }) } },
];

export function setDefaultAccount({ byType }: AccountDefaults, wanted: SetDefault): AccountDefaultsEvent[] {
  const previousId = byType[wanted.type] ?? null;
  return previousId === wanted.accountId ? [] : defaultSet(wanted, wanted.accountId, previousId);
}

/** Returns `[]` if the account is not the default. */
export const clearDefaultAccount = ({ byType }: AccountDefaults, ended: SetDefault): AccountDefaultsEvent[] =>
  byType[ended.type] === ended.accountId ? defaultSet(ended, null, ended.accountId) : [];
