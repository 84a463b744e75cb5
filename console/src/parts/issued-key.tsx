import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { IssuedKey } from '../api/keys';
import { CopyButton } from './copy-button';
import { SecretOnce } from './secret-once';
import { t } from '../messages/catalogue';

const EXAMPLE_BODY = {
  externalId: 'order-1001',
  occurredAt: '2026-03-04T10:00:00Z',
  currency: 'EUR',
  lines: [{ description: t('Espresso machine'), quantity: 1, unitPrice: '100.00', taxRate: 19 }],
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

type Props = { readonly issued: IssuedKey; readonly currency: string; readonly close: () => void };

/** A new partner key, with an example of its use. */
export const IssuedKeyOnce = ({ issued: { name, key }, currency, close }: Props): ReactNode => (
  <SecretOnce
    close={close}
    label={t('Key for {name}', { name })}
    lead={t(
      "The service stores only a hash and cannot show the key again. Store the key in the partner's system before you close this dialog.",
    )}
    secret={key}
    what={t('key')}
  >
    <Example currency={currency} keyText={key} />
  </SecretOnce>
);

/** Shows an example request with the key. */
export function Example({ keyText, currency }: { keyText: string; currency: string }): ReactNode {
  const text = exampleOf(keyText, currency);
  return (
    <section aria-label={t('Usage')}>
      <Group gap={4} mb={4}>
        <Text fw={600} size="sm">
          {t('Usage')}
        </Text>
        <CopyButton value={text} what={t('example')} />
      </Group>
      <pre aria-label={t('Sample sale')} className="k-json" role="region" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
