import {
  claimIdempotencyKey,
  fieldHashes,
  idempotencyKey,
  idempotencyKeyId,
  isBound,
  isIdempotencyKey,
} from '../../src/aggregates/request-key.aggregate.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { given, NOW } from './given.js';

const after = (ms: number) => new Date(NOW.getTime() + ms);
const DAY_MS = 86_400_000;
const payload = { externalId: 'S-1', currency: 'EUR', total: '120.00' };
const claim = { saleId: 's', externalId: 'S-1', sourceId: 'pos', fieldHashes: fieldHashes(payload) };
const claimed = {
  type: 'IdempotencyKeyClaimed',
  data: { ...claim, claimedAt: NOW.toISOString(), expiresAt: after(DAY_MS).toISOString() },
} as const;
const other = { ...claim, fieldHashes: fieldHashes({ ...payload, total: '1.00', metadata: {} }) };

describe('an idempotency key', () => {
  test('is bound to the first payload for 24 hours', () => {
    given(idempotencyKey, []).when(claimIdempotencyKey, claim).then(claimed);
    given(idempotencyKey, [claimed])
      .when(claimIdempotencyKey, claim, after(DAY_MS - 1))
      .changesNothing();
    given(idempotencyKey, [claimed])
      .when(claimIdempotencyKey, other, after(DAY_MS - 1))
      .isRefused('conflict IDEMPOTENCY_CONFLICT metadata total');
    expect(isBound(given(idempotencyKey, [claimed]).state, after(DAY_MS - 1))).toBe(true);
    expect(isBound(given(idempotencyKey, [claimed]).state, after(DAY_MS))).toBe(false);
    expect(isBound(idempotencyKey.initial, NOW)).toBe(false);
  });
  test('is taken over after that, for another 24 hours', () => {
    const again = {
      ...claimed,
      data: { ...other, claimedAt: after(DAY_MS).toISOString(), expiresAt: after(2 * DAY_MS).toISOString() },
    };
    given(idempotencyKey, [claimed]).when(claimIdempotencyKey, other, after(DAY_MS)).then(again);
    given(idempotencyKey, [claimed, again])
      .when(claimIdempotencyKey, claim, after(DAY_MS + 1))
      .isRefused('conflict IDEMPOTENCY_CONFLICT metadata total');
  });
  test('reports which fields differ, never their values', () => {
    try {
      claimIdempotencyKey(given(idempotencyKey, [claimed]).state, other, NOW);
      throw new Error('not refused');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      expect(JSON.stringify([error.message, error.details])).not.toMatch(/120|1\.00/);
    }
  });
  test('stores nothing of the payload except digests', () => {
    expect(JSON.stringify(claimed.data.fieldHashes)).not.toContain('120.00');
  });
  test('is separate for each partner’s source', () => {
    const ids = [idempotencyKeyId('pos', 'k'), idempotencyKeyId('web', 'k'), idempotencyKeyId('po', 'sk')];
    expect(new Set(ids).size).toBe(3);
    expect(idempotencyKeyId('a","b', 'c')).not.toBe(idempotencyKeyId('a', 'b","c'));
  });
  test.each([
    ['k', true],
    ['~!"#', true],
    ['k'.repeat(255), true],
    ['', false],
    ['k'.repeat(256), false],
    ['a b', false],
    ['é', false],
    ['a\n', false],
  ])('%j is valid: %s', (key, allowed) => {
    expect(isIdempotencyKey(key)).toBe(allowed);
  });
});
