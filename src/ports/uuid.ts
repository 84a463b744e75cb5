/**
 * Source of a regular expression for UUIDs as the service writes them (RFC 9562, section 4): lower case, with hyphens.
 */
export const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export const UUID_LENGTH = 36;

/** Matches text that consists of exactly one such UUID. */
export const UUID = new RegExp(`^${UUID_PATTERN}$`);

export const isUuid = (text: string): boolean => UUID.test(text);
