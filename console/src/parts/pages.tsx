import { Button, Pagination, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count } from './figures';

export type PagesProps = {
  readonly page: number;
  readonly totalPages: number | undefined;
  readonly totalCount: number | undefined;
  readonly onPage: (page: number) => void;
};

/** Under a list: how much there is, and the ways to the rest of it. */
export const Pages = ({ page, totalPages = 0, totalCount = 0, onPage }: PagesProps): ReactNode => (
  <nav aria-label="Pages" className="k-pages">
    <Text c="dimmed" size="sm">
      {count(totalCount)} in all
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

/** In place of a list: that nothing is there, or that the address leads past what there is. */
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
      This page is past the last one.{' '}
      <Button
        onClick={() => {
          pages.onPage(1);
        }}
        size="compact-sm"
        variant="subtle"
      >
        To the first page
      </Button>
    </div>
  );
