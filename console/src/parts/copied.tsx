import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';

/** A value that is taken along: an id, mostly. */
export const Copied = ({ value, what }: { value: string | null; what: string }): ReactNode =>
  value === null ? (
    <span className="k-nothing">—</span>
  ) : (
    <span className="k-request-id">
      <code>{value}</code> <CopyButton value={value} what={what} />
    </span>
  );
