import type { ReactNode } from 'react';

/** Message tag for words that a reader must not overlook, such as a record's name. */
export const strong = (words: ReactNode): ReactNode => <strong>{words}</strong>;
