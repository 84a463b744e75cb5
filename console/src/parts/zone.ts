import { useMe } from '../api/me';

/** The viewer's time zone. */
export const VIEWER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the time zone in which the books are kept: the tenant's or, for operators, the viewer's. */
export const useZone = (): string => useMe()?.tenant?.timeZone ?? VIEWER_ZONE;
