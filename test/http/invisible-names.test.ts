import { line, paragraph } from '../../src/aggregates/fields.js';
import { saleOf, TestService } from '../support/service.js';

const hex = (one: string): string => `U+${one.codePointAt(0)?.toString(16) ?? ''}`;

describe('A name', () => {
  test.each(
    [
      ...['\u200b', '\u2060', '\ufeff', '\u00ad', '\u180e', '\u3164', '\u034f'],
      ...['\u200c', '\u200d', '\u2028', '\u2029'],
      ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
      ...['\u2066', '\u2067', '\u2068', '\u2069'],
    ].map((one) => [hex(one), `Acme${one}Ltd`]),
  )('cannot contain invisible or bidirectional control characters: %s', (_, text) => {
    expect(line(100).safeParse(text).error?.issues[0]?.message).toBe('Must not contain invisible characters.');
  });

  test.each([
    ['of Turkish', 'Ağaç Şirketi İnş. ve Tic.'],
    ['of Persian, which needs non-joiners', 'می\u200cخواهم'],
    ['of Hindi, which needs joiners', 'क्\u200dष'],
    ['of a family as one emoji', '👩🏽\u200d👩🏽\u200d👧'],
    ['of a heart on fire as one emoji', '❤️\u200d🔥'],
    ['of Hebrew', 'שלום בע"מ'],
    ['of Japanese', '株式会社カフェ'],
    ['with a no-break space', 'Café\u00a0Noir'],
  ])('can contain every letter %s', (_, text) => {
    expect(line(100).safeParse(text).data).toBe(text);
  });

  test('is checked for people and partners, unlike longer texts', async () => {
    const service = await TestService.start();
    try {
      const { tenant, partner } = await service.openBooks();
      const name = 'Acme\u202eLtd';
      expect((await service.post('/api/customers', { name }, tenant.token)).told).toBe('400 VALIDATION_FAILED name');
      expect((await service.post('/api/branches', { name: 'X', code: 'A\u200bB' }, tenant.token)).told).toBe(
        '400 VALIDATION_FAILED code',
      );
      expect((await service.postSale(partner, saleOf('s-1', { customer: { name } }))).told).toBe(
        '400 VALIDATION_FAILED customer.name',
      );
      const notes = 'First line\nA \u200fnote';
      expect(paragraph(100).safeParse(notes).data).toBe(notes);
      expect((await service.post('/api/customers', { name: 'Acme', notes }, tenant.token)).status).toBe(201);
    } finally {
      await service.close();
    }
  });
});
