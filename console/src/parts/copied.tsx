import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';
import { NOTHING } from './nothing';

/** A value with a copy button, usually an id. */
export const Copied = ({ value, what }: { value: string | null; what: string }): ReactNode =>
  value === null ? (
    NOTHING
  ) : (
    <span className="k-request-id">
      <code>{value}</code> <CopyButton value={value} what={what} />
    </span>
  );
