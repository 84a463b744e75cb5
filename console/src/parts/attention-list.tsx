import type { ReactNode } from 'react';
import type { Shown } from '../api/queries';
import { Panel } from './panel';
import { StatusBadge, type Tone } from './status-badge';
import { t } from '../messages/catalogue';

export type Item = {
  readonly key: string;
  readonly tone: Tone;
  readonly what: ReactNode;
  /** Link to the next step. */
  readonly link: ReactNode;
};

type Props = {
  readonly items: readonly Item[];
  /** The queries that provide the items. */
  readonly asked: readonly Pick<Shown<unknown>, 'data' | 'error'>[];
};

/** Items that need the user's attention. Reports that there are none only if all queries have succeeded. */
export const AttentionList = ({ items, asked }: Props): ReactNode => (
  <Panel title={t('Needs attention')}>
    {items.length > 0 ? (
      <ul className="k-attention">
        {items.map(({ key, tone, what, link }) => (
          <li key={key}>
            <StatusBadge tone={tone} {...(tone === 'busy' && { icon: 'info' as const })}>
              {what}
            </StatusBadge>
            {link}
          </li>
        ))}
      </ul>
    ) : (
      <Nothing isKnown={asked.every(({ data, error }) => data !== undefined && error === null)} />
    )}
  </Panel>
);

const Nothing = ({ isKnown }: { isKnown: boolean }): ReactNode =>
  isKnown ? (
    <StatusBadge tone="good">{t('Nothing needs attention')}</StatusBadge>
  ) : (
    <StatusBadge tone="idle">{t('Not yet known')}</StatusBadge>
  );
