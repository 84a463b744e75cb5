const LOCALE_DECIMAL = new Intl.NumberFormat().formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** Sign, digits in groups or without, decimal separator, decimals. */
const SHAPE = /^([-+]?)(\d+|\d{1,3}(?:([.,])\d{3})(?:\3\d{3})*)(?:([.,])(\d+))?$/;
/** One separator before three digits, which may be thousands. */
const THOUSANDS = /^[-+]?[1-9]\d{0,2}([.,])\d{3}$/;

/** Removes the separators of groups. Unclear text stays as it is. */
function plain(text: string): string {
  const shape = SHAPE.exec(text);
  if (shape === null || (shape[3] !== undefined && shape[3] === shape[4])) return text;
  const [, sign = '', whole = '', , , decimals] = shape;
  return `${sign}${whole.replace(/[.,]/g, '')}${decimals === undefined ? '' : `.${decimals}`}`;
}

/**
 * Converts an amount as people type it to the service's notation: `1.250,00`, `1,250.00`, `1 250,00` and `1250.00` all
 * become `1250.00`. A single separator before three digits is read as in the viewer's locale. Anything else is left as
 * it is, for the service to reject.
 */
export function amountOf(typed: string, localeDecimal = LOCALE_DECIMAL): string {
  const text = typed.trim().replace(/[\s’']/g, '');
  const separator = THOUSANDS.exec(text)?.[1] ?? localeDecimal;
  return separator === localeDecimal ? plain(text) : text.replace(separator, '');
}
