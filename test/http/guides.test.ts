import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATOR, PASSWORD, TestService } from '../support/service.js';

const GUIDES = join(import.meta.dirname, '..', '..', 'docs', 'guides');
const END = '---- end of block ----\n';

let service: TestService;
let directory: string;
beforeAll(async () => {
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/** A bash session like that of a reader who follows the guide. */
class Session {
  private output = '';
  private readonly bash = spawn('bash', ['-u'], { cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] });

  constructor() {
    this.bash.stdout.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.bash.stdin.write('exec 2>&1\n');
  }

  /** Runs the commands and returns all of their output. */
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

/** Returns a guide's commands, each with the output that the guide shows, adapted to the test's service and users. */
async function commandsOf(guide: string, email: string): Promise<{ commands: string; printed: string }[]> {
  const text = (await readFile(join(GUIDES, guide), 'utf8'))
    .replaceAll('localhost:3000', service.url)
    .replaceAll(/owner@(demo\.kontor\.example|example\.com)/g, email)
    .replaceAll('https://shop.example', service.url)
    .replaceAll('"password":"…"', `"password":"${PASSWORD}"`);
  const blocks = text.matchAll(/```sh\n([^]*?)```(?:\n\n```text\n([^]*?)```)?/g);
  return [...blocks].map(([, commands = '', printed = '']) => ({ commands, printed }));
}

test('The commands of the guide to bookkeeping print what the guide shows', async () => {
  const { email } = await service.createTenant({ timeZone: 'Europe/Berlin' });
  const blocks = await commandsOf('bookkeeping.md', email);
  expect(blocks.length).toBeGreaterThan(10);
  const session = new Session();
  for (const { commands, printed } of blocks) {
    // Waits for the read models, because the test runs commands faster than a reader would.
    await service.quiet();
    expect(`${commands}${await session.run(commands)}`).toBe(`${commands}${printed}`);
  }
  session.end();
});

test('The commands of the guides for partners, notifications and backups succeed', async () => {
  const { email } = await service.createTenant();
  const partners = await commandsOf('partners.md', email);
  const [signIn = { commands: '' }] = partners;
  const [backUp] = await commandsOf('backup.md', email);
  const asOperator = signIn.commands.replace(email, OPERATOR.email).replace(PASSWORD, OPERATOR.password);
  const all = [...partners, ...(await commandsOf('notifications.md', email)), { commands: asOperator }, backUp];
  const session = new Session();
  for (const block of all) {
    await service.quiet();
    const { commands } = block ?? signIn;
    expect(`${commands}${await session.run(commands)}`).not.toMatch(
      /^curl: |(?<!"body":)\{"error"|"statusCode":[45]|unbound/m,
    );
  }
  session.end();
});
