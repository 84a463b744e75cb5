import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import { api, data, type Shapes } from './client';

export type TrialBalance = Shapes['TrialBalanceDto'];
export type ProfitAndLoss = Shapes['ProfitAndLossDto'];
export type BalanceSheet = Shapes['BalanceSheetDto'];
export type Ageing = Shapes['AgeingDto'];
export type TaxReport = Shapes['TaxReportDto'];
export type GeneralLedger = Shapes['GeneralLedgerDto'];
export type Periods = Shapes['PeriodsDto'];
export type OpenItems = Shapes['OpenItemsDto'];

type Reports = 'trial-balance' | 'profit-and-loss' | 'balance-sheet' | 'ageing' | 'tax' | 'general-ledger';
type Parameters<R extends Reports> = NonNullable<paths[`/api/reports/${R}`]['get']['parameters']['query']>;

const report = <T>(name: string, query: object, ask: (signal: AbortSignal) => Promise<T>) =>
  queryOptions({
    queryKey: ['report', name, query],
    queryFn: ({ signal }) => ask(signal),
    placeholderData: keepPreviousData,
  });

export const trialBalanceQuery = (query: Parameters<'trial-balance'>) =>
  report('trial-balance', query, (signal) =>
    data(api.GET('/api/reports/trial-balance', { params: { query }, signal })),
  );

export const profitAndLossQuery = (query: Parameters<'profit-and-loss'>) =>
  report('profit-and-loss', query, (signal) =>
    data(api.GET('/api/reports/profit-and-loss', { params: { query }, signal })),
  );

export const balanceSheetQuery = (query: Parameters<'balance-sheet'>) =>
  report('balance-sheet', query, (signal) =>
    data(api.GET('/api/reports/balance-sheet', { params: { query }, signal })),
  );

export const ageingQuery = (query: Parameters<'ageing'>) =>
  report('ageing', query, (signal) => data(api.GET('/api/reports/ageing', { params: { query }, signal })));

export const taxQuery = (query: Parameters<'tax'>) =>
  report('tax', query, (signal) => data(api.GET('/api/reports/tax', { params: { query }, signal })));

export const generalLedgerQuery = (query: Omit<Parameters<'general-ledger'>, 'format'>) =>
  report('general-ledger', query, (signal) =>
    data(api.GET('/api/reports/general-ledger', { params: { query }, signal })),
  );

export const openItemsQuery = (id: string) =>
  report('open-items', { id }, (signal) =>
    data(api.GET('/api/customers/{id}/open-items', { params: { path: { id } }, signal })),
  );

export const periodsQuery = queryOptions({
  queryKey: ['periods'],
  queryFn: ({ signal }) => data(api.GET('/api/periods', { signal })),
});
