import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { KontorProcess, PLAIN, withDirectory } from '../e2e/kontor-process.js';

const run = promisify(execFile);

test.each([
  ['read-only', 'ro,size=1m', 'the file system is read-only (EROFS)'],
  ['full', 'size=16k', 'no space left on the disk (ENOSPC)'],
])(
  'A start on a disk that is %s ends with one line that names the setting and the reason',
  async (_, options, reason) => {
    await withDirectory(async (directory) => {
      await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]);
      try {
        const kontor = new KontorProcess(directory, PLAIN);
        expect((await kontor.exit).code).toBe(1);
        expect(kontor.stderr).toBe(`DATA_DIR ${directory} is not writable: ${reason}.\n`);
      } finally {
        await run('umount', ['--lazy', directory]);
      }
    });
  },
);
