import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons';
import { t } from '../messages/catalogue';
import { changeLanguage, language, LANGUAGES } from '../messages/language';

/**
 * Selects the language of the console. Each language is listed by its native name, so that all users recognize theirs.
 */
export const LanguageChoice = (): ReactNode => (
  <Menu>
    <Menu.Target>
      <button aria-label={`${t('Language')}: ${LANGUAGES[language]}`} className="k-nav-link k-language" type="button">
        <Icon name="globe" /> {LANGUAGES[language]}
      </button>
    </Menu.Target>
    <Menu.Dropdown>
      {Object.entries(LANGUAGES).map(([value, name]) => (
        <Menu.Item
          aria-current={value === language}
          key={value}
          lang={value}
          onClick={() => {
            changeLanguage(value);
          }}
        >
          {name}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
