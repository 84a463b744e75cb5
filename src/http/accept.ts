type Range = { readonly type: string; readonly quality: number };

const parseRange = (part: string): Range => {
  const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
};

const rangesOf = (header: string): Range[] => header.split(',', 20).map(parseRange);

/**
 * Returns the quality that an Accept header assigns to a type. The most specific media range applies (RFC 9110,
 * 12.5.1).
 */
function qualityOf(ranges: readonly Range[], type: string): number {
  const family = `${type.split('/')[0] ?? ''}/*`;
  const match = [type, family, '*/*'].map((wanted) => ranges.find((range) => range.type === wanted));
  return match.find((range) => range !== undefined)?.quality ?? 0;
}

/** Whether the Accept-Encoding header lists a coding with a quality above 0. */
export const acceptsEncoding = (header: string | undefined, coding: string): boolean =>
  rangesOf(header ?? '').some(({ type, quality }) => type === coding && quality > 0);

/**
 * Whether a client prefers `type` to JSON, according to its Accept header. If both have the same quality, `type` is
 * preferred only if it is listed and JSON is not listed before it.
 */
export function prefers(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return false;
  const ranges = rangesOf(accept);
  const quality = qualityOf(ranges, type);
  const named = ranges.findIndex((range) => range.type === type);
  const json = ranges.findIndex((range) => range.type === 'application/json');
  const first = named >= 0 && (json < 0 || named < json);
  const jsonQuality = qualityOf(ranges, 'application/json');
  return quality > 0 && (quality > jsonQuality || (quality === jsonQuality && first));
}
