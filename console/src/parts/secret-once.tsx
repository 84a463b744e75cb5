import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { IssuedKey } from '../api/keys';
import { CopyButton } from './copy-button';
import { Icon } from './icons';

const EXAMPLE_BODY = {
  externalId: 'order-1001',
  occurredAt: '2026-03-04T10:00:00Z',
  currency: 'EUR',
  lines: [{ description: 'Espresso machine', quantity: 1, unitPrice: '100.00', taxRate: 19 }],
};

/** Shell command that pushes a sale. */
const exampleOf = (key: string, currency: string): string =>
  [
    `curl ${location.origin}/api/integrations/v1/sales`,
    `-H 'X-Integration-Key: ${key}'`,
    `-H 'Idempotency-Key: '"$(uuidgen)"`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify({ ...EXAMPLE_BODY, currency })}'`,
  ].join(' \\\n  ');

/** Shows a key's secret until the user confirms having stored it. */
export function SecretOnce({
  issued,
  currency,
  close,
}: {
  issued: IssuedKey;
  currency: string;
  close: () => void;
}): ReactNode {
  const [isStored, setStored] = useState(false);
  return (
    <Stack gap="sm">
      <Alert icon={<Icon name="key" />} title="It is shown this once" variant="outline">
        Nobody can look it up again: the service keeps only what it needs to recognise it. Store it where the
        partner&apos;s system finds it, before you close this.
      </Alert>
      <div>
        <Group gap={4}>
          <Text fw={600} size="sm">
            Key of {issued.name}
          </Text>
          <CopyButton value={issued.key} what="key" />
        </Group>
        <code className="k-secret" data-testid="secret">
          {issued.key}
        </code>
      </div>
      <Example currency={currency} keyText={issued.key} />
      <Checkbox
        checked={isStored}
        label="I have stored it"
        onChange={({ currentTarget }) => {
          setStored(currentTarget.checked);
        }}
      />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={close}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** Shows how to try the key at once. */
export function Example({ keyText, currency }: { keyText: string; currency: string }): ReactNode {
  const text = exampleOf(keyText, currency);
  return (
    <section aria-label="How it is used">
      <Group gap={4} mb={4}>
        <Text fw={600} size="sm">
          How it is used
        </Text>
        <CopyButton value={text} what="example" />
      </Group>
      <pre aria-label="Example of a sale" className="k-json" role="region" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
