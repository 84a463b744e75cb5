import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';
import { inSentence, t } from '../messages/catalogue';

/** Indented JSON in a scrollable box. */
export function JsonView({ value, label }: { value: unknown; label: string }): ReactNode {
  const text = JSON.stringify(value, null, 2);
  return (
    <section aria-label={label}>
      <Group gap={4} mb={4}>
        <Text component="h3" fw={600} size="sm">
          {label}
        </Text>
        <CopyButton value={text} what={inSentence(label)} />
      </Group>
      {/** The box can be focused, so that the keyboard can scroll it. */}
      <pre aria-label={t('{label} as JSON', { label })} className="k-json" role="region" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
