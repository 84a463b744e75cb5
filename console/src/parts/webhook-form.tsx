import { Anchor, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Shapes } from '../api/client';
import { integrationEventsQuery, type IssuedWebhook, type Webhook } from '../api/webhooks';
import type { Version } from './edit-dialog';
import { AreaField, given, TextField, type Draft, type Form } from './form';
import { ProblemView } from './problem-view';
import { SecretOnce } from './secret-once';
import { rich, t } from '../messages/catalogue';

const SEPARATOR = '\n';

export const NEW_WEBHOOK: Draft = { url: '', types: '*', description: '' };

export const webhookVersion = ({ url, types, description, revision }: Webhook): Version => ({
  values: { url, types: types.join(SEPARATOR), description: description ?? '' },
  revision,
});

const typesOf = (text = ''): string[] => text.split(/[\s,]+/).filter((type) => type !== '');

export const newWebhook = (values: Draft): Shapes['CreateWebhookDto'] => {
  const description = given(values, 'description');
  return {
    url: values['url'] ?? '',
    types: typesOf(values['types']),
    ...(description !== undefined && { description }),
  };
};

export const webhookChanges = ({ url, types, description }: Draft): Shapes['UpdateWebhookDto'] => ({
  ...(url !== undefined && { url }),
  ...(types !== undefined && { types: typesOf(types) }),
  ...(description !== undefined && { description: description.trim() === '' ? null : description }),
});

/** Field for event types and patterns. A list offers the service's event types. */
function TypesField({ form }: { form: Form }): ReactNode {
  const events = useQuery(integrationEventsQuery);
  const chosen = typesOf(form.values['types']);
  return (
    <>
      <AreaField
        form={form}
        hint={t('One event type per line. Use * to match any text, as in kontor.sale.*')}
        label={t('Events')}
        name="types"
        required
      />
      {events.error !== null && <ProblemView error={events.error} onRetry={events.refetch} />}
      <Select
        data={(events.data ?? []).map(({ type }) => type).filter((type) => !chosen.includes(type))}
        description={rich('<link>Event descriptions</link>', {
          link: (words) => (
            <Anchor href="/docs" inherit target="_blank" underline="always">
              {words}
            </Anchor>
          ),
        })}
        label={t('Add an event type')}
        onChange={(type) => {
          // A pattern of "*" is dropped, because it would include every type.
          if (type !== null) form.set('types', [...chosen.filter((each) => each !== '*'), type].join(SEPARATOR));
        }}
        searchable
        value={null}
      />
    </>
  );
}

export const WebhookFields = ({ form }: { form: Form }): ReactNode => (
  <>
    <TextField
      autoFocus
      form={form}
      hint={t("The receiver's public HTTPS URL.")}
      label={t('Address')}
      name="url"
      required
    />
    <TypesField form={form} />
    <TextField form={form} label={t('Description')} name="description" />
  </>
);

type Props = { readonly issued: IssuedWebhook; readonly close: () => void };

/** Shows a webhook's signing secret once. */
export const SigningSecretOnce = ({ issued: { url, secret }, close }: Props): ReactNode => (
  <SecretOnce
    close={close}
    label={t('Signing secret for {url}', { url })}
    lead={t(
      'Store the secret in the receiver, which uses it to verify every message (Standard Webhooks 1.0). The service cannot show the secret again.',
    )}
    secret={secret}
    what={t('secret')}
  />
);
