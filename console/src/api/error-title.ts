const RECORD_ID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

/**
 * Returns an error's message without record ids. An error record contains the message of its first occurrence, and
 * these ids apply only to that occurrence.
 */
export const titleOf = (message: string): string => message.replace(RECORD_ID, '…');
