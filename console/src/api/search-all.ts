import type { NavigateOptions } from '@tanstack/react-router';
import { api, whole } from './client';
import { titleOf } from './error-title';
import { isOperator, type Me } from './me';
import { amountWords } from '../parts/amount';
import { dayWords } from '../parts/day';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

/** A page or a record found by a search. */
export type Found = {
  readonly kind: string;
  readonly name: string;
  readonly link: Pick<NavigateOptions, 'to' | 'params' | 'search'>;
};

const FEW = { pageNumber: 1, pageSize: 5 } as const;
const REQUEST = /^[\w.-]{8,128}$/;

type Search = (search: string, signal: AbortSignal) => Promise<Found[]>;

const customers: Search = async (search, signal) => {
  const { items } = await whole(api.GET('/api/customers', { params: { query: { ...FEW, search } }, signal }));
  return items.map(({ id, name, code }) => ({
    kind: t('Customer'),
    name: `${name}, ${code}`,
    link: { to: '/customers/$id', params: { id } },
  }));
};

const transactions: Search = async (search, signal) => {
  const { items } = await whole(api.GET('/api/transactions', { params: { query: { ...FEW, search } }, signal }));
  return items.map(({ id, date, amount, currency, description, reference }) => ({
    kind: t('Transaction'),
    name: [dayWords(date), `${amountWords(amount)} ${currency}`, reference, description].filter(Boolean).join(' · '),
    link: { to: '/transactions/$id', params: { id } },
  }));
};

const sales: Search = async (search, signal) => {
  const { items } = await whole(api.GET('/api/sales', { params: { query: { ...FEW, search } }, signal }));
  return items.map(({ id, date, total, currency, externalId, customerName }) => ({
    kind: t('Sale'),
    name: [externalId, dayWords(date), `${amountWords(total)} ${currency}`, customerName].filter(Boolean).join(' · '),
    link: { to: '/sales/$id', params: { id } },
  }));
};

const tenants: Search = async (search, signal) => {
  const { items } = await whole(api.GET('/api/platform/tenants', { params: { query: { ...FEW, search } }, signal }));
  return items.map(({ id, name }) => ({ kind: t('Tenant'), name, link: { to: '/tenants/$id', params: { id } } }));
};

const letters: Search = async (search, signal) => {
  const { items } = await whole(
    api.GET('/api/platform/dead-letters', { params: { query: { ...FEW, search } }, signal }),
  );
  return items.map(({ id, eventType, reason }) => ({
    kind: t('Dead letter'),
    name: `${eventType}, ${reason.code}`,
    link: { to: '/dead-letters/$id', params: { id } },
  }));
};

const errors: Search = async (search, signal) => {
  const { items } = await whole(api.GET('/api/platform/error-logs', { params: { query: { ...FEW, search } }, signal }));
  return items.map(({ id, message }) => ({
    kind: t('Error'),
    name: serviceWords(titleOf(message)),
    link: { to: '/errors/$id', params: { id } },
  }));
};

/** Returns a link to the audit log entries that contain the given request id. */
const requests: Search = async (search, signal) => {
  if (!REQUEST.test(search)) return [];
  const { totalCount } = await whole(
    api.GET('/api/platform/audit-logs', { params: { query: { ...FEW, search } }, signal }),
  );
  return totalCount === 0
    ? []
    : [
        {
          kind: t('Audit log'),
          name: t('Entries that contain {search}', { search }),
          link: { to: '/audit', search: { search } },
        },
      ];
};

const SEARCHES: readonly (readonly [permission: string, search: Search])[] = [
  ['customers.read', customers],
  ['transactions.read', sales],
  ['transactions.read', transactions],
];

type FoundRecords = { readonly found: readonly Found[]; readonly failures: readonly unknown[] };

/**
 * Returns matching records of the kinds that the user may read, and an error for each kind that could not be searched.
 */
export async function findRecords(me: Me, search: string, signal: AbortSignal): Promise<FoundRecords> {
  const allowed = isOperator(me)
    ? [tenants, letters, errors, requests]
    : SEARCHES.flatMap(([permission, find]) => (me.permissions.includes(permission) ? [find] : []));
  const results = await Promise.allSettled(allowed.map((find) => find(search, signal)));
  return {
    found: results.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])),
    failures: results.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : [])),
  };
}
