import { lastDayOf, quarterOf } from '../../src/projections/balance.projection.js';

test('Every date belongs to the quarter between whose first and last day it lies', () => {
  for (let day = Date.UTC(2023, 0, 1); day < Date.UTC(2025, 0, 1); day += 86_400_000) {
    const date = new Date(day).toISOString().slice(0, 10);
    const next = new Date(day + 86_400_000).toISOString().slice(0, 10);
    const quarter = quarterOf(date);
    expect(`${quarter}-01` <= date && date <= lastDayOf(quarter)).toBe(true);
    // The next day is the first of a quarter if and only if this day is the last of a quarter.
    expect([date, `${quarterOf(next)}-01` === next]).toEqual([date, lastDayOf(quarter) === date]);
  }
});

test.each([
  ['2026-01-01', '2026-01', '2026-03-31'],
  ['2026-06-30', '2026-04', '2026-06-30'],
  ['2024-02-29', '2024-01', '2024-03-31'],
  ['9999-12-31', '9999-10', '9999-12-31'],
  ['0001-08-15', '0001-07', '0001-09-30'],
])('%s is in the quarter from %s to %s', (date, quarter, last) => {
  expect([quarterOf(date), lastDayOf(quarter)]).toEqual([quarter, last]);
});
