import fc from 'fast-check';
import { cpuMs } from './cpu-time.js';

/*
 * Bodies that are as expensive as their size allows. Each repeats one unit in a list or an object, at the top level or
 * in a field of the contract. A seed selects the unit and the place, so that a search over many bodies finds the most
 * expensive one.
 */

const LITERALS = [
  '0',
  '1e1',
  '1e100',
  '1E-9',
  '-1.5',
  '1000000000000000.0',
  '0.30000000000000004',
  `1${'0'.repeat(85)}`,
];
const NAMED = ['{"a":0}', '{"a":{"b":[]}}', '["a"]', '{"description":"x"}', '{"method":"CASH","amount":"1"}'];
const UNITS = [
  ...LITERALS,
  ...NAMED,
  '[]',
  '{}',
  '""',
  '"a"',
  'null',
  '"\\u0061"',
  '"\\"',
  '[[[[]]]]',
  '[',
  '{"a":',
  '9',
];
const TEXTS = [
  'x',
  ' ',
  'é',
  '\\"',
  '\\\\',
  '\\u0041',
  'a.',
  'a-',
  '1',
  '\u{1f9fe}',
  'a@',
  '\t',
  ':',
  ',',
  '{',
  '\u200b',
];
const FIELDS = [
  'a',
  'email',
  'password',
  'refreshToken',
  'externalId',
  'occurredAt',
  'lines',
  'payments',
  'metadata',
  'customer',
];

const unit = fc.oneof(
  fc.constantFrom(...UNITS),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(...LITERALS).map((literal) => `{"a":${literal}}`),
);
const names = fc.constantFrom<(index: number) => string>(
  (index) => String(index),
  (index) => String(index * 32_768),
  (index) => `member${index}`,
  () => 'same',
  (index) => 'k'.repeat(100) + String(index),
);

/**
 * Repeats the unit until the body has `share` of the permitted size. Some bodies therefore stay just below the limits
 * on the number of elements.
 */
const repeated = (piece: (index: number) => string, bytes: number, share: number): string => {
  const parts: string[] = [];
  let used = 0;
  for (let index = 0; ; index += 1) {
    const part = piece(index);
    used += Buffer.byteLength(part) + 1;
    if (used > bytes * share) return parts.join(',');
    parts.push(part);
  }
};

const content = (bytes: number): fc.Arbitrary<string> => {
  const share = fc.constantFrom(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1);
  return fc.oneof(
    fc.tuple(unit, share).map(([piece, part]) => `[${repeated(() => piece, bytes, part)}]`),
    fc
      .tuple(names, unit, share)
      .map(([name, piece, part]) => `{${repeated((index) => `"${name(index)}":${piece}`, bytes, part)}}`),
    fc.constantFrom(...TEXTS).map((text) => `"${text.repeat(Math.floor(bytes / Buffer.byteLength(text)))}"`),
    fc.constantFrom('[', '{"a":', ' ', '1', '-', '"').map((text) => text.repeat(Math.floor(bytes / text.length))),
  );
};

/** Generates `count` bodies of at most `bytes` bytes. */
function bodyShapes(seed: number, count: number, bytes: number): string[] {
  const room = bytes - 64;
  const shape = fc
    .tuple(content(room), fc.option(fc.constantFrom(...FIELDS)), fc.constantFrom(...FIELDS))
    .map(([text, field, outer]) => {
      if (field === null) return text;
      return outer === 'customer' ? `{"${outer}":{"${field}":${text}}}` : `{"${field}":${text}}`;
    });
  return fc.sample(shape, { seed, numRuns: count });
}

export type Costly = { readonly ms: number; readonly shape: string };

const AT_ONCE = 100;
const LOOKS = 20;

/** Processes a body in one or more steps. Other requests may run between steps. */
type Take = (body: Buffer) => Iterator<unknown>;

/**
 * Finds, among `count` bodies, the body with the most expensive step. The cost of a step is the lowest cost in up to 20
 * runs, because a run may include the collection of earlier garbage.
 */
export function costliest(seed: number, count: number, bytes: number, take: Take): Costly {
  const found = { ms: 0, shape: '' };
  for (let done = 0; done < count; done += AT_ONCE)
    for (const shape of bodyShapes(seed + done, Math.min(AT_ONCE, count - done), bytes)) {
      const ms = costMs(Buffer.from(shape), take, found.ms);
      if (ms > found.ms) Object.assign(found, { ms, shape });
    }
  return found;
}

/** Returns the cost of the most expensive step in milliseconds. Stops early once that cost is at most `enoughMs`. */
function costMs(body: Buffer, take: Take, enoughMs: number): number {
  const best: number[] = [];
  for (let look = 0; look < LOOKS && (look === 0 || Math.max(...best) > enoughMs); look += 1)
    for (const [step, ms] of stepsMs(take(body)).entries()) best[step] = Math.min(best[step] ?? Infinity, ms);
  return Math.max(...best);
}

/** Measures the CPU time of each step, so that load from other programs does not count towards the cost of the body. */
function stepsMs(steps: Iterator<unknown>): number[] {
  const costs: number[] = [];
  for (let isOver = false; !isOver;) {
    const beganMs = cpuMs();
    try {
      isOver = steps.next().done === true;
    } catch {
      // Rejecting a body is also part of its cost.
      isOver = true;
    }
    costs.push(cpuMs() - beganMs);
  }
  return costs;
}
