/** A UUID as the service writes them (RFC 9562, section 4): lower case, with dashes. Source of a regular expression. */
export const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** A text that is such a UUID and nothing else. */
export const UUID = new RegExp(`^${UUID_PATTERN}$`);
