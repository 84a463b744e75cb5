import { z } from 'zod';
import { derived, optionalText, record, system, text, value } from '../../src/aggregates/record.js';
import { markedFields } from '../../src/aggregates/personal.js';

const shelf = record({
  code: text(z.string().max(3), { fixed: true, published: true }),
  owner: text(z.string().max(5), { personal: true, published: z.literal('somebody') }),
  note: optionalText(z.string().max(5), { shown: z.literal('hidden'), description: 'For staff.' }),
  isOpen: value(z.boolean().default(true), { apart: true, published: true }),
  room: system(z.number()),
  uses: derived(z.number()),
});
const names = (shape: object): string => Object.keys(shape).join(' ');

describe('The fields of a record', () => {
  test('appear where their declaration specifies', () => {
    expect(names(shelf.create)).toBe('code owner note isOpen');
    expect(names(shelf.update)).toBe('owner note isOpen');
    expect(names(shelf.stored)).toBe('code owner note isOpen room');
    expect(names(shelf.changes)).toBe('owner note');
    expect(names(shelf.shown)).toBe('code owner note isOpen room uses');
    expect(names(shelf.published)).toBe('code owner isOpen');
    expect(names(shelf.publishedChanges)).toBe('owner isOpen');
  });

  test('have a default only at creation', () => {
    expect(z.object(shelf.create).parse({ code: 'A', owner: 'Ada' })).toEqual({
      code: 'A',
      owner: 'Ada',
      isOpen: true,
    });
    expect(z.object(shelf.update).parse({})).toEqual({});
    expect(shelf.otherwise).toEqual({ note: null });
  });

  test('are stored without the limits of requests', () => {
    const stored = { code: 'ABCDEF', owner: 'Ada Lovelace', note: null, isOpen: false, room: 1 };
    expect(z.object(shelf.stored).parse(stored)).toEqual(stored);
  });

  test('keep their marks in events, and their own forms in responses and contracts', () => {
    expect(markedFields(z.object(shelf.stored), 'personal')).toEqual(['owner']);
    expect(markedFields(z.object(shelf.shown), 'personal')).toEqual([]);
    expect(shelf.shown.note.meta()).toEqual({ description: 'For staff.' });
    expect(shelf.shown.note.parse('hidden')).toBe('hidden');
    expect(shelf.published.owner.parse('somebody')).toBe('somebody');
  });
});
