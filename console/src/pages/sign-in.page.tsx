import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { KontorError } from '../api/problem';
import { renew, signIn, useSession } from '../api/session';
import favicon from '../favicon.svg';
import { Icon } from '../parts/icons';
import { ProblemView } from '../parts/problem-view';

const route = getRouteApi('/sign-in');

type Credentials = { readonly email: string; readonly password: string };

/** Only addresses of the console itself: another would lead whoever signs in away. */
const ownAddress = (to: string | undefined): string => (to !== undefined && /^\/(?![/\\])/.test(to) ? to : '/');

/** Who is signed in already is led on. */
export function SignInPage(): ReactNode {
  const { to, ended } = route.useSearch();
  const session = useSession();
  useEffect(() => {
    document.title = 'Sign in · Kontor';
    // Nothing to say where the service is away: signing in will tell.
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
            Sign in
          </Title>
          {ended === 'yes' && (
            <Alert icon={<Icon name="info" />} variant="outline">
              Your session has ended. Sign in to go on where you were.
            </Alert>
          )}
          <SignInForm />
        </Stack>
      </div>
    </main>
  );
}

/** Where whoever signed in wanted to go. */
function Onward({ to }: { to: string }): ReactNode {
  const { history } = useRouter();
  useEffect(() => {
    history.replace(`/console${to}`);
  }, [history, to]);
  return null;
}

function SignInForm(): ReactNode {
  const [credentials, setCredentials] = useState<Credentials>({ email: '', password: '' });
  const action = useMutation({ mutationFn: ({ email, password }: Credentials) => signIn(email, password) });
  const problem = action.error instanceof KontorError ? action.error : undefined;
  const change = (part: Partial<Credentials>): void => {
    setCredentials((before) => ({ ...before, ...part }));
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
        {action.error !== null && (
          <ProblemView
            error={action.error}
            title={problem?.status === 401 ? 'E-mail or password is wrong' : undefined}
          />
        )}
        <TextInput
          autoComplete="username"
          autoFocus
          error={problem?.fault('email')}
          label="E-mail"
          onChange={({ currentTarget }) => {
            change({ email: currentTarget.value });
          }}
          required
          type="email"
          value={credentials.email}
        />
        <PasswordInput
          autoComplete="current-password"
          error={problem?.fault('password')}
          label="Password"
          onChange={({ currentTarget }) => {
            change({ password: currentTarget.value });
          }}
          required
          value={credentials.password}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
        />
        <Button loading={action.isPending} type="submit">
          Sign in
        </Button>
        <Text c="dimmed" size="xs">
          For operators of this service and for administrators of its tenants.
        </Text>
      </Stack>
    </form>
  );
}
