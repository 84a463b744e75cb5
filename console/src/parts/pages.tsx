import { Button, Pagination, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count } from './figures';

export type PagesProps = {
  readonly page: number;
  readonly totalPages: number | undefined;
  readonly totalCount: number | undefined;
  /** The total is a lower bound. */
  readonly totalIsCapped?: boolean | undefined;
  readonly onPage: (page: number) => void;
};

/** Pagination with the total number of items. */
export const Pages = ({
  page,
  totalPages = 0,
  totalCount = 0,
  totalIsCapped = false,
  onPage,
}: PagesProps): ReactNode => (
  <nav aria-label="Pages" className="k-pages">
    <Text c="dimmed" size="sm">
      {count(totalCount)} {totalIsCapped ? 'or more' : 'total'}
    </Text>
    {totalPages > 1 && (
      <Pagination
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(item) => ({ 'aria-label': `page ${item}` })}
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
      This page does not exist.{' '}
      <Button
        onClick={() => {
          pages.onPage(1);
        }}
        size="compact-sm"
        variant="subtle"
      >
        Go to the first page
      </Button>
    </div>
  );
