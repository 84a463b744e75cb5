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

type Props = {
  readonly tone: Tone;
  /** Where the tone's own shape would say something else. */ readonly icon?: IconName;
  readonly children: ReactNode;
};

/** A status as a word, a shape and a colour: never a colour alone. */
export const StatusBadge = ({ tone, icon = ICONS[tone], children }: Props): ReactNode => (
  <span className="k-status" data-tone={tone}>
    <Icon name={icon} size={15} />
    <span>{children}</span>
  </span>
);
