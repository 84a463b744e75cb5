import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../clients/typescript/src/schema';
import { api, data, whole, type Shapes } from './client';

export type Sale = Shapes['SaleDto'];
export type ListedSale = Shapes['SaleSummaryDto'];
type SaleFilters = NonNullable<paths['/api/sales']['get']['parameters']['query']>;

/** Whether the sale to which a return or cancellation refers does not exist. */
export const lacksRelated = ({ rejection }: Sale): boolean => rejection?.code === 'RELATED_SALE_UNKNOWN';

/** Source id of sales that users enter manually. */
export const MANUAL = '_manual';

export const salesQuery = (query: SaleFilters) =>
  queryOptions({
    queryKey: ['sales', query],
    queryFn: ({ signal }) => whole(api.GET('/api/sales', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const saleQuery = (id: string) =>
  queryOptions({
    queryKey: ['sale', id],
    queryFn: ({ signal }) => data(api.GET('/api/sales/{id}', { params: { path: { id } }, signal })),
  });
