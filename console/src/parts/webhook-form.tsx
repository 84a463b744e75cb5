import type { ReactNode } from 'react';
import type { Shapes } from '../api/client';
import type { IssuedWebhook, Webhook } from '../api/webhooks';
import type { Version } from './edit-dialog';
import { AreaField, given, TextField, type Draft, type Form } from './form';
import { SecretOnce } from './secret-once';
import { t } from '../messages/catalogue';

export const NEW_WEBHOOK: Draft = { url: '', types: '*', description: '' };

export const webhookVersion = ({ url, types, description, revision }: Webhook): Version => ({
  values: { url, types: types.join('\n'), description: description ?? '' },
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

export const WebhookFields = ({ form }: { form: Form }): ReactNode => (
  <>
    <TextField
      autoFocus
      form={form}
      hint={t('Public HTTPS URL of the receiver.')}
      label={t('Address')}
      name="url"
      required
    />
    <AreaField
      form={form}
      hint={t('One event type per line. * matches any text: kontor.sale.*')}
      label={t('Events')}
      name="types"
      required
    />
    <TextField form={form} label={t('Description')} name="description" />
  </>
);

type Props = { readonly issued: IssuedWebhook; readonly close: () => void };

/** The signing secret of a webhook. */
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
