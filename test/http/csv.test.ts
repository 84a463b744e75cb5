import { csvAnswer, csvStream } from '../../src/http/csv.js';

const ROWS = Array.from({ length: 1_050 }, (_, index) => ({ index, text: `row "${index}"` }));
const COLUMNS = ['index', 'text'];

async function textOf(body: unknown): Promise<{ text: string; longest: number }> {
  if (typeof body === 'string') return { text: body, longest: body.length };
  const chunks: string[] = [];
  for await (const chunk of body as AsyncIterable<string>) chunks.push(chunk);
  return { text: chunks.join(''), longest: Math.max(...chunks.map(({ length }) => length)) };
}

test('A large table is written in small parts, between which other requests are served', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { text, longest } = await textOf(csvAnswer(ROWS, COLUMNS, 'table.csv').body);
  isOver = true;
  expect(text.split('\r\n')).toHaveLength(1_052);
  expect(text).toContain('\r\n1049,"row ""1049"""\r\n');
  expect(longest).toBeLessThan(text.length / 8);
  expect(turns).toBeGreaterThan(8);
});

test('A table has the same text whether it is sent whole or in parts', async () => {
  const whole = await textOf(csvAnswer(ROWS.slice(0, 100), COLUMNS, 'table.csv').body);
  const parts = [ROWS.slice(0, 3), [], ROWS.slice(3, 100)];
  expect((await textOf(csvStream(parts, COLUMNS, 'table.csv').body)).text).toBe(whole.text);
});
