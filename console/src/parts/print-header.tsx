import type { ReactNode } from 'react';
import { useMe } from '../api/me';
import { Day } from './day';
import { useIsPrinting } from './printing';
import { useZone } from './zone';
import { today } from './zone-days';
import { rich } from '../messages/catalogue';

/** The tenant's name and the current date in its time zone. Appears only in print. */
export function PrintHeader(): ReactNode {
  // The page may have been open for days, so it is rendered again before it is printed.
  useIsPrinting();
  const tenant = useMe()?.tenant;
  const day = today(useZone());
  return (
    tenant && (
      <div className="k-print-only">
        <strong>{tenant.name}</strong> · {rich('Printed on {day}', { day: <Day on={day} /> })}
      </div>
    )
  );
}
