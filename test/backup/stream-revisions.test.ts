import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { StreamRevisions } from '../../src/backup/stream-revisions.js';

type Numbered = { readonly stream: string; readonly revision: number };

/** Returns the first missing event, found with a plain map of all streams. */
function naiveGap(events: readonly Numbered[]): string | undefined {
  const next = new Map<string, number>();
  for (const { stream, revision } of events) {
    const expected = next.get(stream) ?? 0;
    if (revision !== expected) return `revision ${expected} of the stream ${stream} is missing`;
    next.set(stream, revision + 1);
  }
  return undefined;
}

function gapIn(events: readonly Numbered[]): string | undefined {
  const revisions = new StreamRevisions();
  for (const event of events) {
    const gap = revisions.gapBefore(event);
    if (gap) return gap.message;
  }
  return undefined;
}

/** Events of a few streams, in the order of a history. */
const history = fc.array(fc.nat({ max: 9 }), { maxLength: 100 }).map((streams) => {
  const next = new Map<number, number>();
  return streams.map((stream): Numbered => {
    const revision = next.get(stream) ?? 0;
    next.set(stream, revision + 1);
    return { stream: `sale-${stream}`, revision };
  });
});

test('A missing event is reported with its stream and revision, and a complete history passes', () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat({ max: 99 }), { maxLength: 3 }), (events, lost) => {
      expect(gapIn(events)).toBeUndefined();
      const left = events.filter((_, at) => !lost.includes(at));
      const expected = naiveGap(left);
      expect(gapIn(left)).toEqual(expected === undefined ? undefined : (expect.stringContaining(expected) as string));
    }),
    { numRuns: 500 },
  );
});

test('Gaps are found among many streams', () => {
  const revisions = new StreamRevisions();
  const streams = Array.from({ length: 50_000 }, () => `sale-platform_${randomUUID()}`);
  const inOrder = [0, 1, 2].flatMap((revision) => streams.map((stream) => ({ stream, revision })));
  expect(inOrder.flatMap((event) => revisions.gapBefore(event)?.message ?? [])).toEqual([]);
  for (const stream of streams.slice(0, 200)) {
    expect(revisions.gapBefore({ stream, revision: 5 })?.message).toMatch(`revision 3 of the stream ${stream} is`);
    expect(revisions.gapBefore({ stream: `${stream}x`, revision: 1 })?.message).toMatch('revision 0 of the stream');
  }
});
