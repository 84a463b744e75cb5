import { Button, Stack, Text, Title } from '@mantine/core';
import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ProblemView } from '../parts/problem-view';
import { KontorError, problemOf } from '../api/problem';
import { t } from '../messages/catalogue';

/** Shown for URLs that match no page. */
export const MissingPage = (): ReactNode => (
  <main className="k-center">
    <Stack align="center" gap="sm">
      <Title order={1} size="h3">
        {t('Page not found')}
      </Title>
      <Text c="dimmed" ta="center">
        {t('Check the address. The page may have moved.')}
      </Text>
      <Link to="/">{t('Go to the home page')}</Link>
    </Stack>
  </main>
);

const isMissingChunk = (message: string): boolean => /dynamically imported module|importing a module/i.test(message);

const OUTDATED = t('This part of the console could not be loaded. A newer version may be available.');

/**
 * Shown for errors in the console itself. If a newer version has replaced the page's code, the user can reload the
 * page.
 */
export function FailedPage({ error }: ErrorComponentProps): ReactNode {
  const problem = problemOf(error);
  const isMissing = isMissingChunk(problem.message);
  return (
    <div className="k-center">
      {isMissing ? (
        <ProblemView error={new KontorError(0, 'OUTDATED', OUTDATED)} title={t('Reload the console')} />
      ) : (
        <ProblemView error={problem} />
      )}
      <Button
        onClick={() => {
          window.location.reload();
        }}
      >
        {t('Reload')}
      </Button>
    </div>
  );
}
