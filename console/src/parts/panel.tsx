import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode };

/** A section of a page with a heading. */
export const Panel = ({ title, aside, children }: Props): ReactNode => (
  <section aria-label={title} className="k-panel">
    <Group className="k-panel-head" justify="space-between">
      <Title order={2} size="h5">
        {title}
      </Title>
      {aside}
    </Group>
    {children}
  </section>
);
