import type { ReactNode } from 'react';

// Drawn for this console on a 24-unit grid, because an icon package would add thousands of unused icons to every
// installation.
const DRAWINGS = {
  alert: 'M12 4 3 19.5h18ZM12 10v4.5M12 17v.2',
  ascending: 'M12 19V5M6 11l6-6 6 6',
  audit: 'M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7',
  bell: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 2h-15zM10 21h4',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  check: 'M5 12.5 10 17.5 19.5 7',
  back: 'm15 6-6 6 6 6',
  chevron: 'm9 6 6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6 6 18',
  columns: 'M4 5h16v14H4zM9.5 5v14M14.5 5v14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  cross: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM9 9l6 6M15 9l-6 6',
  dash: 'M6 12h12',
  descending: 'M12 5v14M6 13l6 6 6-6',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 14l4-5M12 15v.2',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c-5 5-5 13 0 18 5-5 5-13 0-18',
  history: 'M4 12a8 8 0 1 0 3-6.2L4 8M4 4v4h4M12 8v4.5l3 1.5',
  inbox: 'M4 13 6.5 5h11L20 13v6H4zM4 13h5l1.5 2.5h3L15 13h5',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 11v5.5M12 7.5v.2',
  key: 'M8 11a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM11.2 12.3 20 3.5M16.5 7l3 3M13.5 10l2 2',
  layers: 'M12 3 3 8l9 5 9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5',
  more: 'M5 11.5v1M12 11.5v1M19 11.5v1',
  lock: 'M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11M12 14.5v2',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  pause: 'M9 5v14M15 5v14',
  play: 'M7 4.5v15l12-7.5z',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M20 11a8 8 0 0 0-14.5-3.5L4 9M4 4v5h5M4 13a8 8 0 0 0 14.5 3.5L20 15M20 20v-5h-5',
  rows: 'M4 5h16v14H4zM4 10h16M4 14.5h16',
  rules: 'M4 6h9M17 6h3M15 4v4M4 12h3M11 12h9M9 10v4M4 18h9M17 18h3M15 16v4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.5 15.5 20 20',
  signOut: 'M10 4H5v16h5M9 12h11M16 8l4 4-4 4',
  sortable: 'M8 10l4-5 4 5M8 14l4 5 4-5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  tenants: 'M4 20V6l8-3v17M12 9l8 3v8M3 20h18M8 9v.2M8 13v.2M16 15v.2',
  user: 'M12 4a3.8 3.8 0 1 0 0 7.6A3.8 3.8 0 0 0 12 4ZM4.5 20.5a7.5 7.5 0 0 1 15 0',
  users:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM2.5 20a6.5 6.5 0 0 1 13 0M15.5 5.5a3.5 3.5 0 0 1 0 6.5M17.5 14.5A6.5 6.5 0 0 1 21.5 20',
  webhook: 'M4 6h9M4 12h6M4 18h9M13 12h7M16.5 8.5 20 12l-3.5 3.5',
} as const;

export type IconName = keyof typeof DRAWINGS;

/** Decorative icon. The accompanying text has the same meaning, so the icon is hidden from screen readers. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }): ReactNode => (
  <svg
    aria-hidden="true"
    className="k-icon"
    fill="none"
    height={size}
    stroke="currentColor"
    strokeLinecap="round"
    strokeLinejoin="round"
    strokeWidth={1.75}
    viewBox="0 0 24 24"
    width={size}
  >
    <path d={DRAWINGS[name]} />
  </svg>
);
