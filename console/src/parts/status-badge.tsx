import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';

/** What a status means to whoever has to act on it. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'idle';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  busy: 'refresh',
  warning: 'alert',
  bad: 'cross',
  idle: 'dash',
};

/** A status as a word, a shape and a colour: never a colour alone. */
export const StatusBadge = ({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode => (
  <span className="k-status" data-tone={tone}>
    <Icon name={ICONS[tone]} size={15} />
    <span>{children}</span>
  </span>
);
