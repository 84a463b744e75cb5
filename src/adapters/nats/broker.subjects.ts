/** Tokens of visible characters between single dots; the classes exclude each other, so matching takes linear time. */
const SUBJECT = /^[^\s\p{C}.*>]+(?:\.[^\s\p{C}.*>]+)*$/u;
const MAX_SUBJECT_LENGTH = 512;

/** Whether messages may be published to it: no wildcards, no empty tokens. */
export const isSubject = (subject: string): boolean => subject.length <= MAX_SUBJECT_LENGTH && SUBJECT.test(subject);

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
