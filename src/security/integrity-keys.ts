import {
  createPrivateKey,
  createPublicKey,
  hash,
  randomBytes,
  randomUUID,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { join } from 'node:path';
import { keyTextAt, readIfExists, UnusableKey } from './key-file.js';

// Signed notes as specified by C2SP (signed-note, tlog-checkpoint), with keys in the format of Go's
// golang.org/x/mod/sumdb/note.

const FILE = 'integrity-key';
const ED25519 = 1;
const SEED_BYTES = 32;
const PRIVATE = 'PRIVATE+KEY+';
/** DER prefixes of a private key (RFC 8410, PKCS #8) and a public key (SPKI), which precede the 32 bytes of the key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const keyPattern = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/;

/** Content of a checkpoint: the root of the tree over the first `size` events. */
export type TreeHead = { readonly size: number; readonly root: Buffer };
/** A public key that verifies notes. `text` is the key's representation for other programs. */
export type NoteVerifier = {
  readonly name: string;
  readonly id: Buffer;
  readonly key: KeyObject;
  readonly text: string;
};

/** The note is not a checkpoint signed by a known key. */
export class InvalidNote extends Error {
  override readonly name = 'InvalidNote';
}

/** The key that signs checkpoints and the keys that verify them. The keys are the same on every replica. */
export class IntegrityKeys {
  constructor(
    private readonly signer: NoteVerifier & { readonly privateKey: KeyObject },
    readonly verifiers: readonly NoteVerifier[],
  ) {}

  /**
   * Uses the given key or the one in the directory's `integrity-key` file, which is created if necessary (readable only
   * by the owner). Each further line is the verifier key of a former signer.
   * @throws UnusableKey, which does not contain the key
   */
  static async open(directory: string, given?: string): Promise<IntegrityKeys> {
    const source = given === undefined ? join(directory, FILE) : 'INTEGRITY_KEY';
    const text = given ?? (await keyTextAt(join(directory, FILE), () => newKey()));
    const [own = '', ...former] = linesOf(text);
    if (!own.startsWith(PRIVATE)) throw new UnusableKey(`${source} does not begin with a private key (${PRIVATE}…).`);
    const [name, seed] = keyIn(own.slice(PRIVATE.length), source);
    const { privateKey, publicKey } = pairOf(seed);
    const verifier = verifierOf(name, publicKey);
    return new IntegrityKeys({ ...verifier, privateKey }, [
      verifier,
      ...former.map((line) => readVerifier(line, source)),
    ]);
  }

  /** The public key in the format for verifiers: `<name>+<id>+<key>`. */
  get publicKey(): string {
    return this.signer.text;
  }

  /** Returns a signed checkpoint. The key's name is the tree's origin. */
  sign({ size, root }: TreeHead): string {
    const { name, id, privateKey } = this.signer;
    const text = `${name}\n${size}\n${root.toString('base64')}\n`;
    const signature = Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]);
    return `${text}\n— ${name} ${signature.toString('base64')}\n`;
  }
}

/** Returns the verifier keys from the settings or from the key file, which is not created. @throws UnusableKey */
export async function keyFileVerifiers(
  directory: string,
  given?: string,
): Promise<readonly NoteVerifier[] | undefined> {
  const text = given ?? (await readIfExists(join(directory, FILE)));
  return text === undefined ? undefined : (await IntegrityKeys.open(directory, text)).verifiers;
}

/** Parses verifier keys, one per line. @throws UnusableKey */
export const readVerifiers = (text: string, source: string): NoteVerifier[] =>
  linesOf(text).map((line) => readVerifier(line, source));

/**
 * Returns the tree head in a note signed by one of the keys. If no keys are given, signatures are not checked.
 * @throws InvalidNote
 */
export function openNote(note: string, verifiers?: readonly NoteVerifier[]): TreeHead {
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const [, size = '', root = ''] = text.split('\n');
  const isHead = /^(?:0|[1-9]\d{0,15})$/.test(size) && /^[A-Za-z0-9+/]{43}=$/.test(root);
  if (end === 0 || !isHead) throw new InvalidNote('The text is not a checkpoint.');
  if (
    verifiers &&
    !note
      .slice(end)
      .split('\n')
      .some((line) => isSigned(text, line, verifiers))
  )
    throw new InvalidNote('No known key signed the checkpoint.');
  return { size: Number(size), root: Buffer.from(root, 'base64') };
}

function isSigned(text: string, line: string, verifiers: readonly NoteVerifier[]): boolean {
  const [, name, encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
  const signature = Buffer.from(encoded, 'base64');
  const known = verifiers.find((one) => one.name === name && one.id.equals(signature.subarray(0, 4)));
  return known !== undefined && verify(null, Buffer.from(text), known.key, signature.subarray(4));
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function newKey(): string {
  const name = `kontor/${randomUUID()}`;
  const seed = randomBytes(SEED_BYTES);
  const id = verifierOf(name, pairOf(seed).publicKey).id.toString('hex');
  return `${PRIVATE}${name}+${id}+${typed(seed).toString('base64')}\n`;
}

/** Derives a private key from a seed. Returns it with the bytes of its public key. */
function pairOf(seed: Buffer): { readonly privateKey: KeyObject; readonly publicKey: Buffer } {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
  return { privateKey, publicKey };
}

const typed = (key: Buffer): Buffer => Buffer.concat([Buffer.of(ED25519), key]);

function verifierOf(name: string, publicKey: Buffer): NoteVerifier {
  const encoded = typed(publicKey);
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), encoded]), 'buffer').subarray(0, 4);
  const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
  return { name, id, key, text: `${name}+${id.toString('hex')}+${encoded.toString('base64')}` };
}

function readVerifier(line: string, source: string): NoteVerifier {
  const [name, publicKey, id] = keyIn(line, source);
  const verifier = verifierOf(name, publicKey);
  if (verifier.id.toString('hex') !== id) throw new UnusableKey(`${source} contains a damaged verifier key.`);
  return verifier;
}

function keyIn(text: string, source: string): readonly [name: string, key: Buffer, id: string] {
  const [, name = '', id = '', encoded = ''] = keyPattern.exec(text) ?? [];
  const key = Buffer.from(encoded, 'base64');
  if (key.length !== 1 + SEED_BYTES || key[0] !== ED25519)
    throw new UnusableKey(`${source} is not an Ed25519 key in the format of C2SP signed notes.`);
  return [name, key.subarray(1), id];
}
