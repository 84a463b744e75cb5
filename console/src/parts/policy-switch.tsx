import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { queuesQuery, type Queue } from '../api/observation';
import { ConfirmAction } from './confirm-action';
import { strong } from './strong';
import { rich, t } from '../messages/catalogue';

/** A button that pauses or resumes a policy. */
export function PolicySwitch({ queue: { name, kind, pausedAt } }: { queue: Queue }): ReactNode {
  const cache = useQueryClient();
  if (kind !== 'policy') return null;
  const onDone = (): void => {
    askAgain(cache, queuesQuery.queryKey);
  };
  const path = { params: { path: { name } } };
  return pausedAt === null ? (
    <ConfirmAction
      about={name}
      act={() => data(api.POST('/api/platform/policies/{name}/pause', path))}
      icon="pause"
      key="pause"
      label={t('Pause')}
      onDone={onDone}
    >
      {rich(
        'Pause <strong>{name}</strong>? It processes no events until you resume it. It then processes the events recorded during the pause.',
        { name, strong },
      )}
    </ConfirmAction>
  ) : (
    <ConfirmAction
      about={name}
      act={() => data(api.POST('/api/platform/policies/{name}/resume', path))}
      icon="play"
      key="resume"
      label={t('Resume')}
      onDone={onDone}
    >
      {rich('Resume <strong>{name}</strong>? It first processes the events recorded during the pause.', {
        name,
        strong,
      })}
    </ConfirmAction>
  );
}
