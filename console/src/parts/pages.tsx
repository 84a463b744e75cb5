import { Button, Group, NativeSelect, Pagination, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count } from './figures';
import { SIZES } from './list-state';
import { t } from '../messages/catalogue';

export type PagesProps = {
  readonly page: number;
  readonly totalPages: number | undefined;
  readonly totalCount: number | undefined;
  /** Whether the total is only a lower bound. */
  readonly totalIsCapped?: boolean | undefined;
  readonly onPage: (page: number) => void;
  /** Rows per page. Omitted if the page size cannot be changed. */
  readonly size?: string;
  readonly onSize?: (size: string) => void;
};

const CONTROLS = {
  first: t('first page'),
  previous: t('previous page'),
  next: t('next page'),
  last: t('last page'),
} as const;

/** Pagination with the total number of items. */
export const Pages = ({
  page,
  totalPages = 0,
  totalCount = 0,
  totalIsCapped = false,
  onPage,
  size,
  onSize,
}: PagesProps): ReactNode => (
  <nav aria-label={t('Pages')} className="k-pages">
    <Group gap="lg">
      <Text c="dimmed" size="sm">
        {totalIsCapped
          ? t('{total} or more', { total: count(totalCount) })
          : t('{total} total', { total: count(totalCount) })}
      </Text>
      {size !== undefined && totalCount > Number(SIZES[0]) && <PageSize onSize={onSize} size={size} />}
    </Group>
    {totalPages > 1 && (
      <Pagination
        getControlProps={(control) => ({ 'aria-label': CONTROLS[control] })}
        getItemProps={(item) => ({ 'aria-label': t('page {item}', { item }) })}
        onChange={onPage}
        size="sm"
        total={totalPages}
        value={page}
      />
    )}
  </nav>
);

export const PageSize = ({ size, onSize }: Pick<PagesProps, 'size' | 'onSize'>): ReactNode => (
  <NativeSelect
    className="k-page-size"
    data={[...SIZES]}
    label={t('Rows per page')}
    onChange={({ currentTarget }) => onSize?.(currentTarget.value)}
    size="xs"
    value={size ?? SIZES[0]}
  />
);

/** Shown in place of an empty list, or of a page beyond the last page. */
export const NothingListed = ({
  pages,
  children,
}: {
  pages?: PagesProps | undefined;
  children: ReactNode;
}): ReactNode =>
  pages === undefined || (pages.totalCount ?? 0) === 0 ? (
    <div className="k-empty">{children}</div>
  ) : (
    <div className="k-empty">
      {t('This page does not exist.')}{' '}
      <Button
        onClick={() => {
          pages.onPage(1);
        }}
        size="compact-sm"
        variant="subtle"
      >
        {t('Go to the first page')}
      </Button>
    </div>
  );
