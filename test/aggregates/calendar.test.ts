import fc from 'fast-check';
import { calendarDate, isTimeZone } from '../../src/eventsourcing/calendar.js';

const at = (text: string) => Date.parse(text);

describe('the calendar', () => {
  test.each([
    ['2026-03-04T21:30:00Z', 'Europe/Istanbul', '2026-03-05'],
    ['2026-03-04T04:30:00Z', 'America/New_York', '2026-03-03'],
    ['2026-03-04T10:30:00Z', 'Pacific/Kiritimati', '2026-03-05'],
    ['2028-02-29T12:00:00Z', 'UTC', '2028-02-29'],
    // In Berlin: one minute before the switch to summer time, one minute before the preceding midnight, and half an
    // hour after the start of the day on which summer time ends.
    ['2026-03-29T00:59:00Z', 'Europe/Berlin', '2026-03-29'],
    ['2026-03-28T22:59:00Z', 'Europe/Berlin', '2026-03-28'],
    ['2026-10-24T22:30:00Z', 'Europe/Berlin', '2026-10-25'],
    ['1999-12-31T23:59:59.999Z', 'UTC', '1999-12-31'],
    ['0900-06-01T12:00:00Z', 'UTC', '0900-06-01'],
  ])('%s in %s is %s', (instant, timeZone, date) => {
    expect(calendarDate(at(instant), timeZone)).toBe(date);
  });

  test('in UTC the date is the date of the ISO text', () => {
    const instants = fc.date({ min: new Date('1600-01-01'), max: new Date('2999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, (instant) => {
        expect(calendarDate(instant.getTime(), 'Etc/UTC')).toBe(instant.toISOString().slice(0, 10));
      }),
    );
  });

  test('instants of the same quarter of an hour have the dates that Intl states', () => {
    // Clocks in St. John's were set back from 00:01 to 23:01. Time in Monrovia was 44 minutes and 30 seconds behind
    // UTC.
    const zone = fc.constantFrom(
      'America/St_Johns',
      'Africa/Monrovia',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'Asia/Beirut',
    );
    const quarter = fc.oneof(
      fc.integer({ min: at('1965-01-01T00:00Z') / 900_000, max: at('2035-01-01T00:00Z') / 900_000 }),
      fc.constant(Math.floor(at('1990-10-28T02:31Z') / 900_000)),
    );
    const seconds = fc.array(fc.integer({ min: 0, max: 899 }), { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(zone, quarter, seconds, (timeZone, number, offsets) => {
        const canadian = new Intl.DateTimeFormat('en-CA', { timeZone });
        for (const offset of offsets) {
          const ms = (number * 900 + offset) * 1_000;
          expect(calendarDate(ms, timeZone)).toBe(canadian.format(ms));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('rejects an unknown time zone', () => {
    expect(() => calendarDate(0, 'Mars/Olympus')).toThrow(RangeError);
    expect(() => calendarDate(Number.NaN, 'UTC')).toThrow(RangeError);
  });

  test.each(['Europe/Istanbul', 'UTC', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires'])('accepts %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });
  test.each(['', '+03:00', 'Mars/Olympus', 'Europe', '../etc', 'Europe/Istanbul\0'])(
    'rejects the time zone %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});
