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
      <Alert icon={<Icon name="key" />} title="Shown only once" variant="outline">
        The service stores only a hash and cannot show the key again. Store the key in the partner&apos;s system before
        you close this dialog.
      </Alert>
      <div>
        <Group gap={4}>
          <Text fw={600} size="sm">
            Key for {issued.name}
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
        label="I have stored the key safely"
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

/** Shows an example request with the key. */
export function Example({ keyText, currency }: { keyText: string; currency: string }): ReactNode {
  const text = exampleOf(keyText, currency);
  return (
    <section aria-label="Usage">
      <Group gap={4} mb={4}>
        <Text fw={600} size="sm">
          Usage
        </Text>
        <CopyButton value={text} what="example" />
      </Group>
      <pre aria-label="Example of a sale" className="k-json" role="region" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
