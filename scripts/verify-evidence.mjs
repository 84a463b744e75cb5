// node verify-evidence.mjs FILE [KEY]: checks an evidence bundle without the service. Requires only this file and
// Node.js. KEY is the service's verifier key (`kontor/…+…+…`), or the path of a file that contains it. Without KEY, the
// program uses the key in the bundle. This provides no protection against anyone who can create bundles.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

const [file, given] = process.argv.slice(2);
const fail = (reason) => {
  console.error(`NOT VALID: ${reason}`);
  process.exit(1);
};
if (file === undefined) fail('usage: node verify-evidence.mjs FILE [KEY]');

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const leafHash = (leaf) => sha256(Buffer.of(0), Buffer.from(leaf));
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);

/** The tree head of a signed note (C2SP). */
function openNote(note, key) {
  const [, name, id, encoded] =
    /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key.trim()) ?? fail('the key is not a verifier key');
  const typed = Buffer.from(encoded, 'base64');
  const expected = sha256(Buffer.from(`${name}\n`), typed).subarray(0, 4);
  if (typed.length !== 33 || typed[0] !== 1 || expected.toString('hex') !== id) fail('the key is damaged');
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), typed.subarray(1)]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const isSigned = note
    .slice(end)
    .split('\n')
    .some((line) => {
      const [, signer, signature] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      const bytes = Buffer.from(signature ?? '', 'base64');
      return (
        signer === name &&
        bytes.subarray(0, 4).equals(expected) &&
        verify(null, Buffer.from(text), publicKey, bytes.subarray(4))
      );
    });
  if (!isSigned) fail('the checkpoint is not signed with the key');
  const [, size, root] = text.split('\n');
  return { size: Number(size), root: Buffer.from(root, 'base64') };
}

/** Verifies an inclusion proof (RFC 9162, section 2.1.3.2). */
function isIncluded(index, size, leaf, path, root) {
  let [fn, sn, r] = [index, size - 1, leaf];
  for (const hex of path) {
    const p = Buffer.from(hex, 'hex');
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      r = nodeHash(p, r);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else r = nodeHash(r, p);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && r.equals(root);
}

const bundle = JSON.parse(readFileSync(file, 'utf8'));
if (bundle.format !== 'kontor-evidence' || bundle.version !== 1)
  fail('the file is not an evidence bundle of version 1');
const key = given === undefined ? bundle.publicKey : existsSync(given) ? readFileSync(given, 'utf8') : given;
const { size, root } = openNote(bundle.checkpoint, key);
let last = -1;
for (const { index, leaf, leafHash: told, hashes } of bundle.events) {
  const what = `event ${index}${leaf === null ? '' : ` (${leaf[3]}, revision ${leaf[1]})`}`;
  const hashed = leaf === null ? Buffer.from(told, 'hex') : leafHash(leaf.join('\0'));
  if (hashed.toString('hex') !== told) fail(`${what} does not match its hash`);
  if (leaf !== null && leaf[0] !== bundle.record.stream) fail(`${what} belongs to another record`);
  if (!Number.isSafeInteger(index) || index <= last || index >= size) fail(`${what} is out of order`);
  if (!isIncluded(index, size, hashed, hashes, root)) fail(`${what} is not covered by the checkpoint`);
  last = index;
}
const withheld = bundle.events.filter(({ leaf }) => leaf === null).length;
console.log(
  `VALID: the checkpoint over ${size} events covers ${bundle.events.length} events of ${bundle.record.stream}` +
    `${withheld === 0 ? '' : `, ${withheld} of them without content`}.`,
);
if (given === undefined) console.log(`The key was taken from the bundle. Compare it with the service's: ${key}`);
