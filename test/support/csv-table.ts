/** Parses a CSV file (RFC 4180) into rows, using the header row as keys. */
export function csvTable(text: string): Record<string, string>[] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)];
  const rows: string[][] = [[]];
  for (const [whole, quoted, plain = '', end] of cells) {
    if (whole === '') break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push([]);
  }
  const [names = [], ...others] = rows.filter((row) => row.length > 0);
  return others.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
}
