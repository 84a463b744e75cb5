/**
 * Escapes NUL, because the SQLite binding truncates text at NUL, and MongoDB keys use NUL as a separator. Distinct
 * strings remain distinct, and their order is preserved.
 */
export const bindable = (text: string): string =>
  text.includes('\0') || text.includes('\u0001')
    ? text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\0', '\u0001\u0001')
    : text;

export const unbindable = (text: string): string =>
  text.includes('\u0001') ? text.replaceAll('\u0001\u0001', '\0').replaceAll('\u0001\u0002', '\u0001') : text;
