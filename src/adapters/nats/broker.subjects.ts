import { isSubject } from '../broker.input.js';

/** Whether all that the narrower pattern (or plain subject) matches is matched by the wider one, as NATS reads them. */
export function covers(wider: string, narrower: string): boolean {
  const wide = wider.split('.');
  const narrow = narrower.split('.');
  for (const [index, token] of wide.entries()) {
    const other = narrow[index];
    if (other === undefined) return false;
    if (token === '>') return true;
    if (token !== other && (token !== '*' || other === '>')) return false;
  }
  return wide.length === narrow.length;
}

/** The narrowest pattern that matches every subject which begins with the text; undefined where only `>` does. */
export function patternOf(prefix: string): string | undefined {
  const head = prefix.slice(0, Math.max(0, prefix.lastIndexOf('.')));
  return isSubject(head) ? `${head}.>` : undefined;
}
