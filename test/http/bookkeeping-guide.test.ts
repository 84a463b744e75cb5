import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSWORD, TestService } from '../support/service.js';

const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'bookkeeping.md');
const END = '---- end of block ----\n';

let service: TestService;
let directory: string;
beforeAll(async () => {
  service = await TestService.start();
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/** A bash session, as a reader of the guide would use it. */
class Session {
  private output = '';
  private readonly bash = spawn('bash', ['-u'], { cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] });

  constructor() {
    this.bash.stdout.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.bash.stdin.write('exec 2>&1\n');
  }

  /** All output of the commands. */
  async run(commands: string): Promise<string> {
    this.output = '';
    this.bash.stdin.write(`${commands}echo '${END.trim()}'\n`);
    while (!this.output.endsWith(END) && this.bash.exitCode === null)
      await new Promise((resolve) => this.bash.stdout.once('data', resolve));
    return this.output.slice(0, -END.length);
  }

  end(): void {
    this.bash.stdin.end();
  }
}

test('The commands of the guide to bookkeeping print what the guide shows', async () => {
  const { email } = await service.createTenant({ timeZone: 'Europe/Berlin' });
  const guide = await readFile(GUIDE, 'utf8');
  const blocks = [...guide.matchAll(/```sh\n([^]*?)```(?:\n\n```text\n([^]*?)```)?/g)];
  expect(blocks.length).toBeGreaterThan(10);
  const session = new Session();
  for (const [, commands = '', printed = ''] of blocks) {
    // Waits for the read models, because the test runs commands faster than a reader would.
    await service.quiet();
    const own = commands
      .replaceAll('localhost:3000', service.url)
      .replaceAll('owner@example.com', email)
      .replaceAll('"password":"…"', `"password":"${PASSWORD}"`);
    expect(`${commands}${await session.run(own)}`).toBe(`${commands}${printed}`);
  }
  session.end();
}, 120_000);
