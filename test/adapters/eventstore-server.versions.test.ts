import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventStoreLike } from '../support/eventstore-server/recipe.js';
import type { Like } from '../support/eventstore-server/server-version.js';
import { ServerProcess } from '../support/server-process.js';

type Answers = Readonly<Record<string, unknown>>;

/** Responses from EventStoreDB 23.10.6 and 24.10.4 to the further scenarios, recorded with the official client. */
const golden = JSON.parse(
  readFileSync(new URL('../support/golden/eventstoredb-more-golden.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Answers>>;
const script = fileURLToPath(new URL('../support/eventstore-more-scenarios.mjs', import.meta.url));

async function answersOf(like: Like): Promise<Answers> {
  // Appends sent together must share one flush, even if a busy machine delays the client between them.
  const server = await ServerProcess.start(eventStoreLike(like, '--flush-delay', '50'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, server.url]);
    return JSON.parse(stdout) as Answers;
  } finally {
    await server.dispose();
  }
}

const VERSIONS: readonly (readonly [Like, string])[] = [
  ['23.10', '23.10.6'],
  ['24.10', '24.10.4'],
];

describe('The EventStoreDB test server as a process', () => {
  const answers = new Map<Like, Answers>();

  // The scenarios wait about twenty seconds in total for events that must not arrive, so both versions run
  // concurrently.
  beforeAll(async () => {
    await Promise.all(VERSIONS.map(async ([like]) => answers.set(like, await answersOf(like))));
  });

  const expected = VERSIONS.flatMap(([like, version]) =>
    Object.entries(golden[version] ?? {}).map(([scenario, answer]) => ({ like, scenario, answer })),
  );
  test.each(expected)('responds like $like: $scenario', ({ like, scenario, answer }) => {
    expect(answers.get(like)?.[scenario]).toEqual(answer);
  });

  test('covers every recorded scenario and no others', () => {
    for (const [like, version] of VERSIONS)
      expect(Object.keys(answers.get(like) ?? {})).toEqual(Object.keys(golden[version] ?? {}));
  });
});
