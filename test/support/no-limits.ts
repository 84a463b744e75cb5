const UNREACHED = '1000000';

/**
 * Settings without effective rate limits, because tests send more requests than users do. Tests of limits use their own
 * settings.
 */
export const NO_LIMITS = {
  ADDRESS_REQUESTS_PER_MINUTE: UNREACHED,
  USER_REQUESTS_PER_MINUTE: UNREACHED,
  USER_WRITES_PER_MINUTE: UNREACHED,
  TENANT_REQUESTS_PER_MINUTE: UNREACHED,
  SESSION_STREAMS: UNREACHED,
  USER_STREAMS: UNREACHED,
} as const;
