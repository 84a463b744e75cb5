// Puts a new signing key first in DATA_DIR/signing-key.json: npm run keys:rotate
// Running processes see it within seconds. The old key verifies for half an hour more; the next rotation removes it.
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** As src/platform/signing-keys.ts has it. */
const KEPT_MS = 30 * 60_000;

const directory = process.env.DATA_DIR || './data';
const path = join(directory, 'signing-key.json');

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.env.JWT_SIGNING_KEY)
  fail('JWT_SIGNING_KEY is set, so the file is not used: put a new key first in its {"keys":[…]}.');

/** Only one rotation at a time: of two, one key would be lost that somebody may have signed with. */
function lock() {
  try {
    return openSync(`${path}.lock`, 'wx', 0o600);
  } catch (error) {
    if (error.code === 'EEXIST')
      fail(`${path}.lock is there: another rotation runs, or one was killed; then remove it.`);
    if (error.code === 'ENOENT') fail(`There is no ${directory}: start the service first, or set DATA_DIR.`);
    throw error;
  }
}

/** The keys that are there. What a damaged file holds is not told: it is a secret. */
function readKeys() {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  try {
    const parsed = JSON.parse(text);
    const keys = parsed.keys ?? [parsed];
    if (keys.every(({ crv, x, d }) => crv === 'Ed25519' && x && d)) return keys;
  } catch {
    // Told below.
  }
  throw new Error(`${path} holds no Ed25519 signing key: restore it, or remove it.`);
}

/** On disk, with the owner of the file that it replaces, before it has the name. */
function replace(text) {
  const draft = `${path}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    chmodSync(draft, 0o600);
    const owner = statSync(path, { throwIfNoEntry: false });
    if (owner && owner.uid !== statSync(draft).uid) chownSync(draft, owner.uid, owner.gid);
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  // Windows cannot open a folder, and needs no more.
  if (process.platform === 'win32') return;
  const folder = openSync(directory, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

const held = lock();
try {
  const nowMs = Date.now();
  const { privateKey } = generateKeyPairSync('ed25519');
  const now = new Date(nowMs).toISOString();
  // The first has signed until now, whatever it says.
  const known = readKeys().map(({ supersededAt = now, ...jwk }, index) => ({
    ...jwk,
    supersededAt: index === 0 ? now : supersededAt,
  }));
  const kept = known.filter(({ supersededAt }) => !(nowMs - Date.parse(supersededAt) > KEPT_MS));
  replace(`${JSON.stringify({ keys: [privateKey.export({ format: 'jwk' }), ...kept] })}\n`);
  console.log(`${path}: a new key signs now; ${kept.length} older verify, ${known.length - kept.length} removed.`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  closeSync(held);
  rmSync(`${path}.lock`);
}
