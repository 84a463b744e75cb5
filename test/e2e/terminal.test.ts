import { stripVTControlCharacters } from 'node:util';
import { KontorProcess, SERVICE, until, withDirectory } from './kontor-process.js';

/** Runs the service in a pseudoterminal. */
const IN_TERMINAL = ['script', '-qefc', SERVICE.join(' '), '/dev/null'] as const;

test('In a terminal the log is text, and the secrets of the first start are its last lines', async () => {
  await withDirectory(async (directory) => {
    const kontor = new KontorProcess(directory, { NODE_ENV: 'development' }, IN_TERMINAL);
    await until(
      () => Promise.resolve(kontor.stdout),
      (text) => /\nuntil curl [^\n]*\n/.test(text),
      30_000,
    );
    const lines = stripVTControlCharacters(kontor.stdout).split(/\r?\n/);
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([]);
    const ready = lines.findIndex((line) => /^[\d:.]{12} INFO {2}Kontor is ready url=http\S+$/.test(line));
    const banner = lines.findIndex((line) => line.includes('These secrets are shown only once'));
    expect(ready).toBeGreaterThan(0);
    expect(banner).toBeGreaterThan(ready);
    expect(lines.slice(banner).filter((line) => /^[\d:.]{12} /.test(line))).toEqual([]);
  });
});
