/**
 * Whether, according to NATS rules, the wider pattern matches everything that the narrower pattern or subject matches.
 */
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
