import { Group, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { PrintHeader } from './print-header';

type Props = {
  readonly title: string;
  /** Purpose of the page, in one line. */
  readonly lead?: ReactNode;
  /** Buttons for the page's actions. */
  readonly actions?: ReactNode;
};

/** Header of every page. It also sets the title of the browser tab. */
export function PageHeader({ title, lead, actions }: Props): ReactNode {
  useEffect(() => {
    document.title = `${title} · Kontor`;
  }, [title]);
  return (
    <Group align="flex-start" className="k-page-header" justify="space-between">
      <div>
        <PrintHeader />
        <Title order={1} size="h3">
          {title}
        </Title>
        {lead !== undefined && (
          <Text c="dimmed" component="div" size="sm">
            {lead}
          </Text>
        )}
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
