import { ActionIcon, AppShell, Box, Burger, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { isOperator, type Me } from '../api/me';
import { KontorError } from '../api/problem';
import { signOut } from '../api/session';
import favicon from '../favicon.svg';
import { Icon } from '../parts/icons';
import { LanguageChoice } from '../parts/language-choice';
import { ProblemView } from '../parts/problem-view';
import { Bell } from './bell';
import { ChangePassword } from './change-password';
import { ColorSchemeSwitch } from './color-scheme-switch';
import { Palette } from './palette';
import { isClosed, sectionsFor } from './navigation';
import { StepUpDialog } from './step-up-dialog';
import { t } from '../messages/catalogue';

const NOT_FOR_YOU = new KontorError(403, 'FORBIDDEN', t('Your account does not have access to this page.'));

type Props = { readonly me: Me; readonly children: ReactNode };

/** Layout of every page: navigation, signed-in user, and content. */
export function Shell({ me, children }: Props): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  // When the page changes, the focus and the scroll position move to the top. Keyboard and screen reader users also
  // depend on this.
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    close();
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path, close]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="k-skip" href="#main">
        {t('Skip to content')}
      </a>
      <AppShell.Header>
        <Group gap="sm" h="100%" justify="space-between" px="md" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              aria-label={isOpen ? t('Close the navigation') : t('Open the navigation')}
              hiddenFrom="sm"
              onClick={toggle}
              opened={isOpen}
              size="sm"
            />
            <span className="k-brand">
              <img alt="" height={24} src={favicon} width={24} /> Kontor
            </span>
          </Group>
          <Who me={me} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t('Console pages')} p="xs">
        <Destinations me={me} />
        <div>
          <div className="k-nav-label">{t('Account')}</div>
          <Link className="k-nav-link" to="/account">
            <Icon name="user" /> {t('Your account')}
          </Link>
          <ChangePassword />
          <LanguageChoice />
        </div>
      </AppShell.Navbar>
      <StepUpDialog />
      <AppShell.Main className="k-main" id="main" ref={main} tabIndex={-1}>
        {isClosed(me, path) ? <ProblemView error={NOT_FOR_YOU} /> : children}
      </AppShell.Main>
    </AppShell>
  );
}

const Destinations = ({ me }: { me: Me }): ReactNode =>
  sectionsFor(me).map(({ label, destinations }) => (
    <div key={label}>
      <div className="k-nav-label">{label}</div>
      {destinations.map(({ to, label: words, icon }) => (
        <Link activeOptions={{ exact: to === '/', includeSearch: false }} className="k-nav-link" key={to} to={to}>
          <Icon name={icon} /> {words}
        </Link>
      ))}
    </div>
  ));

function Who({ me }: { me: Me }): ReactNode {
  const [error, setError] = useState<unknown>(null);
  const leave = (): void => {
    signOut().catch((cause: unknown) => {
      setError(cause);
    });
  };
  return (
    <Group className="k-who" gap="xs" wrap="nowrap">
      {error !== null && <ProblemView error={error} onRetry={leave} />}
      <Box visibleFrom="xs">
        <Text size="sm" truncate>
          {me.user.fullName}
        </Text>
        <Text c="dimmed" size="xs" truncate>
          {isOperator(me) ? t('Operator') : me.tenant?.name}
        </Text>
      </Box>
      <Palette me={me} />
      <Bell />
      <ColorSchemeSwitch />
      <Button leftSection={<Icon name="signOut" />} onClick={leave} size="xs" variant="default" visibleFrom="sm">
        {t('Sign out')}
      </Button>
      <ActionIcon
        aria-label={t('Sign out')}
        hiddenFrom="sm"
        onClick={leave}
        size="lg"
        title={t('Sign out')}
        variant="default"
      >
        <Icon name="signOut" />
      </ActionIcon>
    </Group>
  );
}
