// npm run keys:rotate: puts a new signing key first in DATA_DIR/signing-key.json. Running processes use the new key
// within seconds. The old key verifies tokens for another half hour. The first rotation after that time removes the old
// key.
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

/** This value must equal the one in src/security/signing-keys.ts. */
const KEPT_MS = 30 * 60_000;

const directory = process.env.DATA_DIR || './data';
const path = join(directory, 'signing-key.json');

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Whether the setting contains keys. As for the service, an empty file means that the setting is not set. */
function isSet() {
  const file = process.env.JWT_SIGNING_KEY_FILE;
  if (process.env.JWT_SIGNING_KEY || !file) return Boolean(process.env.JWT_SIGNING_KEY);
  try {
    return readFileSync(file, 'utf8').trim() !== '';
  } catch (error) {
    return fail(`JWT_SIGNING_KEY_FILE: cannot be read (${error.code}).`);
  }
}

if (isSet())
  fail('JWT_SIGNING_KEY is set, so the key file is not used. Instead, put a new key first in its {"keys":[…]}.');

/** Serializes rotations. Concurrent rotations could lose a key that has already signed tokens. */
function lock() {
  try {
    return openSync(`${path}.lock`, 'wx', 0o600);
  } catch (error) {
    if (error.code === 'EEXIST')
      fail(
        `${path}.lock exists. Another rotation is running, or one was interrupted. ` +
          'If none is running, remove the file.',
      );
    if (error.code === 'ENOENT') fail(`${directory} does not exist. Start the service first, or set DATA_DIR.`);
    throw error;
  }
}

/** Returns the existing keys. Never prints the content of a damaged file, which is secret. */
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
    // Invalid JSON results in the error below.
  }
  throw new Error(`${path} contains no Ed25519 signing key. Restore it, or remove it.`);
}

/** Flushes the new file, assigns it the old file's owner, and then replaces the old file by renaming the new one. */
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
  // Windows cannot open a folder, and does not require folders to be flushed.
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
  // The first key has been in use until now, even if the file contains an earlier `supersededAt` for it.
  const known = readKeys().map(({ supersededAt = now, ...jwk }, index) => ({
    ...jwk,
    supersededAt: index === 0 ? now : supersededAt,
  }));
  const kept = known.filter(({ supersededAt }) => !(nowMs - Date.parse(supersededAt) > KEPT_MS));
  replace(`${JSON.stringify({ keys: [privateKey.export({ format: 'jwk' }), ...kept] })}\n`);
  console.log(
    `${path}: a new key is now used for signing. Earlier keys kept for verification: ${kept.length}; ` +
      `removed: ${known.length - kept.length}.`,
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  closeSync(held);
  rmSync(`${path}.lock`);
}
