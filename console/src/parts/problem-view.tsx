import { Alert, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { problemOf, type KontorError } from '../api/problem';
import { CopyButton } from './copy-button';
import { faultWords, fieldLabel } from './fault-words';
import { Icon } from './icons';
import { rich, t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const TITLES: Readonly<Record<number, string>> = {
  0: t('No connection'),
  403: t('Access denied'),
  404: t('Not found'),
  409: t('Not possible in the current state'),
  429: t('Too many requests'),
  503: t('The service is unavailable'),
};

function titleOf({ status, code }: KontorError): string {
  if (code === 'OFFLINE') return t('You are offline');
  if (code === 'CONSOLE') return t('Console error');
  return TITLES[status] ?? (status >= 500 ? t('Service error') : t('Request failed'));
}

/** Returns the message. The service prefixes the message of an invalid field with the field's API name. */
function headlineOf({ message, errors: [fault] }: KontorError): string {
  const label = fault && fieldLabel(fault.path);
  const isPrefixed = fault !== undefined && message === `${fault.path}: ${fault.message}`;
  return label !== undefined && isPrefixed ? `${label}: ${faultWords(fault)}` : serviceWords(message);
}

type Props = {
  readonly error: unknown;
  /** Called by the retry button, which is shown only if a retry may succeed. */
  readonly onRetry?: (() => unknown) | undefined;
  readonly title?: string;
};

/** The service's error message, with the request id, which identifies the request in the log. */
export function ProblemView({ error, onRetry, title }: Props): ReactNode {
  const problem = problemOf(error);
  const { code, errors, requestId, status, retryAfterSeconds } = problem;
  return (
    <Alert
      className="k-problem"
      color="red"
      icon={<Icon name="alert" />}
      role="alert"
      title={title ?? titleOf(problem)}
      variant="outline"
    >
      <Text size="sm">{headlineOf(problem)}</Text>
      {status === 403 && <NextStep code={code} />}
      {retryAfterSeconds !== undefined && status === 429 && (
        <Text size="sm">{t('Try again in {retryAfterSeconds} s.', { retryAfterSeconds })}</Text>
      )}
      {errors.length > 1 && (
        <ul>
          {errors.map((fault) => (
            <li key={fault.path}>
              {fieldLabel(fault.path) ?? <code>{fault.path}</code>} {faultWords(fault)}
            </li>
          ))}
        </ul>
      )}
      <Group gap="sm" mt="xs">
        {onRetry !== undefined && status !== 403 && (
          <Button
            leftSection={<Icon name="refresh" size={16} />}
            onClick={() => void onRetry()}
            size="xs"
            variant="default"
          >
            {t('Try again')}
          </Button>
        )}
        {requestId !== undefined && (
          <Text c="dimmed" className="k-request-id" component="span" size="xs">
            {rich('Request <code>{requestId}</code> {copyButton}', {
              requestId,
              code: (words) => <code>{words}</code>,
              copyButton: <CopyButton what={t('request ID')} value={requestId} />,
            })}
          </Text>
        )}
      </Group>
    </Alert>
  );
}

/** Suggests the next step to a user who lacks access. */
const NextStep = ({ code }: { code: string }): ReactNode => {
  if (code === 'STEP_UP_REQUIRED') return null;
  return code === 'FACTOR_REQUIRED' ? (
    <Text size="sm">
      <Link to="/account">{t('Add a second factor to your account')}</Link>
    </Text>
  ) : (
    <Text size="sm">{t('Ask an administrator for permission, or sign in with another account.')}</Text>
  );
};
