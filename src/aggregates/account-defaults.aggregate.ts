import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { StoredAccountType } from './account.aggregate.js';

/**
 * Which account is the default of its type: one record for each tenant decides it, so that there is never more than one
 * of a type, whoever asks at the same moment.
 */
export const accountDefaultsEvents = {
  DefaultAccountsSeeded: technical(z.object({ defaults: z.record(z.string(), z.string()) })),
  DefaultAccountSet: domain(
    'UPDATE',
    'account',
    z.object({ type: StoredAccountType, accountId: z.string().nullable(), previousId: z.string().nullable() }),
    { subject: ({ accountId, previousId }) => accountId ?? previousId },
  ),
};
export type AccountDefaultsEvent = EventOf<typeof accountDefaultsEvents>;

export type AccountDefaults = { readonly isSeeded: boolean; readonly byType: Readonly<Record<string, string>> };

/** The id of a tenant's only record of this kind. */
export const ACCOUNT_DEFAULTS_ID = 'accounts';

export const accountDefaults: Aggregate<AccountDefaults, AccountDefaultsEvent> = {
  name: 'defaults',
  events: accountDefaultsEvents,
  initial: { isSeeded: false, byType: {} },
  evolve: (state, event) => {
    switch (event.type) {
      case 'DefaultAccountsSeeded':
        return { isSeeded: true, byType: event.data.defaults };
      case 'DefaultAccountSet': {
        const { type, accountId } = event.data;
        const others = Object.fromEntries(Object.entries(state.byType).filter(([known]) => known !== type));
        return { ...state, byType: accountId === null ? others : { ...others, [type]: accountId } };
      }
    }
  },
};

/** The defaults that a tenant begins with; once, whatever became of them. */
export const seedDefaultAccounts = (
  state: AccountDefaults,
  { defaults }: { readonly defaults: Readonly<Record<string, string>> },
): AccountDefaultsEvent[] =>
  state.isSeeded ? [] : [{ type: 'DefaultAccountsSeeded', data: { defaults: { ...defaults } } }];

export type SetDefault = { readonly type: StoredAccountType; readonly accountId: string };

export function setDefaultAccount(
  { byType }: AccountDefaults,
  { type, accountId }: SetDefault,
): AccountDefaultsEvent[] {
  const previousId = byType[type] ?? null;
  return previousId === accountId ? [] : [{ type: 'DefaultAccountSet', data: { type, accountId, previousId } }];
}

/** Does nothing where another is the default by now. */
export function clearDefaultAccount(
  { byType }: AccountDefaults,
  { type, accountId }: SetDefault,
): AccountDefaultsEvent[] {
  if (byType[type] !== accountId) return [];
  return [{ type: 'DefaultAccountSet', data: { type, accountId: null, previousId: accountId } }];
}
