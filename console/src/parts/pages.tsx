import { Button, Pagination, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count } from './figures';
import { t } from '../messages/catalogue';

export type PagesProps = {
  readonly page: number;
  readonly totalPages: number | undefined;
  readonly totalCount: number | undefined;
  /** The total is a lower bound. */
  readonly totalIsCapped?: boolean | undefined;
  readonly onPage: (page: number) => void;
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
}: PagesProps): ReactNode => (
  <nav aria-label={t('Pages')} className="k-pages">
    <Text c="dimmed" size="sm">
      {totalIsCapped
        ? t('{total} or more', { total: count(totalCount) })
        : t('{total} total', { total: count(totalCount) })}
    </Text>
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
