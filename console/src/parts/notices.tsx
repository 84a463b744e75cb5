import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { isPage, readAll, readOne, safeLink, type Notification } from '../api/notifications';
import { Icon } from './icons';
import { Instant } from './instant';
import { ProblemView } from './problem-view';
import { StatusBadge, type Tone } from './status-badge';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const TONES: Readonly<Record<Notification['type'], Tone>> = {
  INFO: 'busy',
  SUCCESS: 'good',
  WARNING: 'warning',
  ERROR: 'bad',
};

const useRefresh = (): (() => void) => {
  const cache = useQueryClient();
  return () => {
    askAgain(cache, ['notifications']);
  };
};

type Props = {
  readonly of: readonly Notification[];
  /** Called when the user follows a link. */
  readonly onLeave?: (() => void) | undefined;
};

/** Notifications with their actions. */
export const Notices = ({ of, onLeave }: Props): ReactNode => (
  <ul className="k-notices">
    {of.map((notification) => (
      <Notice key={notification.id} notification={notification} onLeave={onLeave} />
    ))}
  </ul>
);

function Notice({ notification, onLeave }: { notification: Notification; onLeave: Props['onLeave'] }): ReactNode {
  const { id, type, link, isRead, createdAt } = notification;
  const [title, body] = [serviceWords(notification.title), serviceWords(notification.body)];
  const refresh = useRefresh();
  const read = useMutation({ mutationFn: () => readOne(id), onSuccess: refresh });
  const markRead = (): void => {
    if (!isRead) read.mutate();
  };
  return (
    <li data-unread={isRead ? undefined : ''}>
      <div className="k-notice-head">
        <StatusBadge tone={TONES[type]} {...(type === 'INFO' && { icon: 'info' as const })}>
          {title} {!isRead && <span className="k-nothing">{t('· new')}</span>}
        </StatusBadge>
        <small className="k-nothing">
          <Instant as="relative" at={createdAt} />
        </small>
      </div>
      <p className="k-notice-text">{body}</p>
      {read.error !== null && <ProblemView error={read.error} />}
      <Group gap="sm">
        <Follow
          link={link}
          onFollow={() => {
            markRead();
            onLeave?.();
          }}
        />
        {!isRead && (
          <Button
            aria-label={t('Mark as read: {title}', { title })}
            leftSection={<Icon name="check" size={14} />}
            loading={read.isPending}
            onClick={markRead}
            size="compact-xs"
            variant="subtle"
          >
            {t('Mark as read')}
          </Button>
        )}
      </Group>
    </li>
  );
}

/**
 * A notification's link, which navigates within the console or opens any other URL in a new tab. No link is shown for
 * an unsafe URL.
 */
function Follow({ link, onFollow }: { link: string | null; onFollow: () => void }): ReactNode {
  const { history } = useRouter();
  const safe = safeLink(link);
  if (safe === undefined) return null;
  if (safe.isOwn && isPage(safe.to))
    return (
      <a
        href={safe.to}
        onClick={(event) => {
          onFollow();
          // With a modifier key, the browser opens the link in another tab or window.
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          history.push(safe.to);
        }}
      >
        {t('verb| Open')}
      </a>
    );
  return (
    <a href={safe.to} onClick={onFollow} rel="noopener noreferrer" target="_blank">
      {t('Open {host}', { host: safe.host ?? safe.to })}
    </a>
  );
}

/** Marks all notifications as read. */
export function ReadAll({ isUseful }: { isUseful: boolean }): ReactNode {
  const refresh = useRefresh();
  const action = useMutation({ mutationFn: readAll, onSuccess: refresh });
  return (
    <>
      {action.error !== null && <ProblemView error={action.error} />}
      <Button
        disabled={!isUseful}
        leftSection={<Icon name="check" size={16} />}
        loading={action.isPending}
        onClick={() => {
          action.mutate();
        }}
        size="xs"
        variant="default"
      >
        {t('Mark all as read')}
      </Button>
    </>
  );
}
