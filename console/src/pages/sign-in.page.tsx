import { Alert, Button, PasswordInput, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import type { FactorRequired } from '../api/factors';
import { KontorError } from '../api/problem';
import { renew, signIn, useSession, type Credentials } from '../api/session';
import favicon from '../favicon.svg';
import { FactorForm } from '../parts/factor-form';
import { Icon } from '../parts/icons';
import { ProblemView } from '../parts/problem-view';
import { LanguageChoice } from '../parts/language-choice';
import { t } from '../messages/catalogue';

const route = getRouteApi('/sign-in');

/** Accepts only paths of the console, to prevent open redirects. */
const ownAddress = (to: string | undefined): string => (to !== undefined && /^\/(?![/\\])/.test(to) ? to : '/');

/** Redirects users who are already signed in. */
export function SignInPage(): ReactNode {
  const { to, ended } = route.useSearch();
  const session = useSession();
  useEffect(() => {
    document.title = t('Sign in · Kontor');
    // Errors are ignored here, because the sign-in itself reports an unavailable service.
    if (session.is === 'unknown') renew().catch(() => undefined);
  }, [session.is]);
  if (session.is === 'in') return <Onward to={ownAddress(to)} />;
  return (
    <main className="k-center">
      <div className="k-sign-in">
        <Stack gap="md">
          <span className="k-brand">
            <img alt="" height={28} src={favicon} width={28} /> Kontor
          </span>
          <Title order={1} size="h4">
            {t('Sign in')}
          </Title>
          {ended === 'yes' && (
            <Alert icon={<Icon name="info" />} variant="outline">
              {t('Your session has ended. Sign in to continue.')}
            </Alert>
          )}
          <SignInForm />
          <LanguageChoice />
        </Stack>
      </div>
    </main>
  );
}

/** Continues to the page that was originally requested. */
function Onward({ to }: { to: string }): ReactNode {
  const { history } = useRouter();
  useEffect(() => {
    history.replace(`/console${to}`);
  }, [history, to]);
  return null;
}

/** Asks for the password, and then for the second factor if the account has one. */
function SignInForm(): ReactNode {
  const [factor, setFactor] = useState<FactorRequired>();
  const cancel = (): void => {
    setFactor(undefined);
  };
  return factor ? <FactorForm asked={factor} cancel={cancel} send={signIn} /> : <PasswordForm onAsked={setFactor} />;
}

function PasswordForm({ onAsked }: { onAsked: (factor: FactorRequired | undefined) => void }): ReactNode {
  const [credentials, setCredentials] = useState<Credentials>({ email: '', password: '' });
  const [asked, setAsked] = useState<KontorError>();
  const action = useMutation({
    mutationFn: signIn,
    onSuccess: onAsked,
    onError: (error) => {
      if (error instanceof KontorError && error.code === 'TENANT_REQUIRED') setAsked(error);
    },
  });
  const problem = action.error instanceof KontorError ? action.error : undefined;
  const change = (part: Partial<Credentials>): void => {
    setCredentials((before) => ({ ...before, ...part }));
  };
  const changeEmail = (email: string): void => {
    setAsked(undefined);
    setCredentials(({ password }) => ({ email, password }));
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate(credentials);
      }}
    >
      <Stack gap="sm">
        {action.error !== null && action.error !== asked && (
          <ProblemView
            error={action.error}
            title={problem?.status === 401 ? t('The e-mail address or password is incorrect') : undefined}
          />
        )}
        <CredentialFields change={change} changeEmail={changeEmail} credentials={credentials} problem={problem} />
        {asked && (
          <TenantField
            asked={asked}
            onChange={(tenant) => {
              change({ tenant });
            }}
            tenant={credentials.tenant ?? ''}
          />
        )}
        <Button loading={action.isPending} type="submit">
          {t('Sign in')}
        </Button>
        <Text c="dimmed" size="xs">
          {t('For platform operators and tenant users.')}
        </Text>
      </Stack>
    </form>
  );
}

type CredentialFieldsProps = {
  readonly credentials: Credentials;
  readonly problem: KontorError | undefined;
  readonly change: (part: Partial<Credentials>) => void;
  readonly changeEmail: (email: string) => void;
};

function CredentialFields({ credentials, problem, change, changeEmail }: CredentialFieldsProps): ReactNode {
  return (
    <>
      <TextInput
        autoComplete="username"
        autoFocus
        error={problem?.fault('email')}
        label={t('E-mail')}
        onChange={({ currentTarget }) => {
          changeEmail(currentTarget.value);
        }}
        required
        type="email"
        value={credentials.email}
      />
      <PasswordInput
        autoComplete="current-password"
        error={problem?.fault('password')}
        label={t('Password')}
        onChange={({ currentTarget }) => {
          change({ password: currentTarget.value });
        }}
        required
        value={credentials.password}
        visibilityToggleButtonProps={{ 'aria-label': t('Show or hide the password'), tabIndex: 0 }}
      />
    </>
  );
}

type TenantFieldProps = {
  readonly asked: KontorError;
  readonly tenant: string;
  readonly onChange: (slug: string) => void;
};

/**
 * Shown if the e-mail address belongs to several tenants. Offers the tenants for which the password is correct or, if
 * there are too many, a field for the tenant's short name.
 */
function TenantField({ asked: { tenants }, tenant, onChange }: TenantFieldProps): ReactNode {
  const common = {
    autoFocus: true,
    description: t('Your e-mail address is registered with several tenants.'),
    label: t('Tenant'),
    required: true,
    value: tenant,
  };
  if (tenants.length === 0)
    return (
      <TextInput
        {...common}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
        placeholder={t('Short name of the tenant')}
      />
    );
  return (
    <Select
      {...common}
      allowDeselect={false}
      data={tenants.map(({ name, slug }) => ({ value: slug, label: `${name} (${slug})` }))}
      onChange={(slug) => {
        if (slug !== null) onChange(slug);
      }}
      placeholder={t('Choose')}
    />
  );
}
