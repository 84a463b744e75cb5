import { Group, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

type Props = {
  readonly title: string;
  /** In one line: what this page is for. */
  readonly lead?: ReactNode;
  /** Buttons for what can be done here. */
  readonly actions?: ReactNode;
};

/** The top of every page; the title is the browser's, too. */
export function PageHeader({ title, lead, actions }: Props): ReactNode {
  useEffect(() => {
    document.title = `${title} · Kontor`;
  }, [title]);
  return (
    <Group align="flex-start" className="k-page-header" justify="space-between">
      <div>
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
