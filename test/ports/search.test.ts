import fc from 'fast-check';
import { fold, MAX_SEARCH_WORDS, MAX_WORD_LENGTH, searchWords, words } from '../../src/ports/search.js';

describe('Search words', () => {
  test.each([
    [['İstanbul', 'ISTANBUL', 'ıstanbul', 'istanbul'], 'istanbul'],
    [['Çağrı', 'ÇAĞRI', 'cagri'], 'cagri'],
    [['straße', 'STRASSE', 'STRAẞE'], 'strasse'],
    [['Ōsaka', 'o\u0304saka'], 'osaka'],
    [['Łódź', 'LODZ'], 'lodz'],
    [['Ærø', 'AERO'], 'aero'],
    [['ΟΔΟΣ', 'οδος', 'οδοσ'], 'οδοσ'],
    [['ﬁnance', 'FINANCE'], 'finance'],
    [['Москва', 'МОСКВА'], 'москва'],
  ])('%j are spelled %s', (spellings, folded) => {
    for (const spelling of spellings) expect(fold(spelling)).toBe(folded);
  });

  test.each([
    ['INV-2024/0042', ['inv', '2024', '0042']],
    ["O'Brien & Söhne GmbH", ['o', 'brien', 'sohne', 'gmbh']],
    ['one one ONE', ['one']],
    ['東京 支店', ['東京', '支店']],
    ['٣٤ a_b', ['٣٤', 'a', 'b']],
    ['  -- ¡! 😀 ', []],
    ['', []],
  ])('%s is split into %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('a long word is truncated alike wherever it occurs, never within a letter', () => {
    const long = '𐐨'.repeat(200);
    expect(words(long)).toEqual(['𐐨'.repeat(MAX_WORD_LENGTH)]);
    expect(searchWords('x'.repeat(10_000))).toEqual(words('x'.repeat(999)));
  });

  test('empty text means no search, and text without words matches nothing', () => {
    expect([searchWords(undefined), searchWords(''), searchWords('?')]).toEqual([undefined, undefined, []]);
  });

  test('a search keeps a bounded number of words, without those that a longer one implies', () => {
    expect(searchWords('in invoice inv ada')).toEqual(['invoice', 'ada']);
    expect(searchWords(Array.from({ length: 5_000 }, (_, n) => `w${n}x`).join(' '))).toHaveLength(MAX_SEARCH_WORDS);
  });

  test('folding again changes nothing, and words are folded, not empty, and made of letters and digits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
        for (const word of words(text)) {
          expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
          expect(words(word)).toEqual([word]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('ASCII text has the same words as by the rules for all text', () => {
    const reference = (text: string): string[] => {
      const found = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
      return [...new Set(found.map((word) => Array.from(word).slice(0, MAX_WORD_LENGTH).join('')))];
    };
    // The lower case of the Kelvin sign is ASCII, and the lower case of the dotted capital I is longer than the letter.
    const unit = fc.oneof(
      fc.constantFrom(
        'a',
        'z',
        'A',
        'Z',
        '0',
        '9',
        '@',
        '[',
        '`',
        '{',
        '/',
        ':',
        '\u007f',
        '\u0080',
        '\u00b2',
        '\u212a',
        '\u0130',
        'x'.repeat(40),
      ),
      fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
    );
    const anyText = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit, maxLength: 40 }),
      fc.string({ unit: fc.constantFrom('a', 'B', '1', ' '), maxLength: 300 }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(words(text)).toEqual(reference(text));
      }),
      { numRuns: 5_000 },
    );
  });

  test('every letter has the same words in upper and lower case, composed and decomposed', () => {
    const unlike: string[] = [];
    for (let point = 0; point < 0x20000; point += 1) {
      const letter = String.fromCodePoint(point);
      // Skips surrogates, which are not letters, and the Greek iota subscript, a combining mark whose upper case is a
      // letter.
      if ((point >= 0xd800 && point < 0xe000) || letter.normalize('NFD').includes('\u0345')) continue;
      const spellings = [
        letter,
        letter.toUpperCase(),
        letter.toLowerCase(),
        letter.normalize('NFD'),
        letter.normalize('NFC'),
      ];
      if (new Set(spellings.map((spelling) => words(spelling).join(' '))).size > 1) unlike.push(letter);
    }
    expect(unlike).toEqual([]);
  });
});
