import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';

/** Meaning of a status for a user who may have to act on it. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'idle';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  busy: 'refresh',
  warning: 'alert',
  bad: 'cross',
  idle: 'dash',
};

type Props = {
  readonly tone: Tone;
  /** Replaces the tone's icon if that icon would be misleading. */ readonly icon?: IconName;
  readonly children: ReactNode;
};

/** A status as a word, an icon and a color. The color is never the only indication. */
export const StatusBadge = ({ tone, icon = ICONS[tone], children }: Props): ReactNode => (
  <span className="k-status" data-tone={tone}>
    <Icon name={icon} size={14} />
    <span>{children}</span>
  </span>
);
