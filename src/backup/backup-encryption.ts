import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TransformStream, type ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { BackupError } from './backup-format.js';

// Encrypts and decrypts backups with age (C2SP), so that any age program can read them. This module is imported only
// for encrypted backups.

/** The DOM stream type that `decrypt` expects. */
type FileStream = Extract<Parameters<Decrypter['decrypt']>[0], { getReader: unknown }>;
export type Write = (bytes: Uint8Array) => Promise<void>;

/** Encrypts the parts of a file in order and passes the result to `write`. */
export class EncryptedWriter {
  private readonly parts = new TransformStream<Uint8Array, Uint8Array>();
  private readonly writer = this.parts.writable.getWriter();
  private readonly written: Promise<void>;

  constructor(recipient: string, write: Write) {
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    this.written = this.passOn(encrypter, write);
    // `write` or `end` reports the error.
    this.written.catch(() => undefined);
  }

  async write(bytes: Uint8Array): Promise<void> {
    // If writing fails, encryption stops. The race with `written` then ends the wait.
    await Promise.race([this.writer.write(bytes), this.written]);
  }

  /** Resolves once all encrypted parts have been written. */
  async end(): Promise<void> {
    await Promise.race([this.writer.close(), this.written]);
    await this.written;
  }

  private async passOn(encrypter: Encrypter, write: Write): Promise<void> {
    const encrypted = await encrypter.encrypt(this.parts.readable);
    for await (const part of encrypted as unknown as ReadableStream<Uint8Array>) await write(part);
  }
}

/** Whether age can encrypt for this recipient. */
export function isRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a decrypter for the identities in a file created by age-keygen. @throws BackupError */
export async function readIdentities(path: string): Promise<Decrypter> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new BackupError(`The identity file ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? ''}).`);
  });
  const identities = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity.trim());
  } catch {
    identities.length = 0;
  }
  // The error message must not contain the identity.
  if (identities.length === 0) throw new BackupError(`${path} contains no age identity (AGE-SECRET-KEY-1…).`);
  return decrypter;
}

/** Returns the decrypted content of a file, and its size in bytes. @throws BackupError */
export async function decrypted(
  file: Readable,
  sizeBytes: number,
  decrypter: Decrypter | undefined,
): Promise<{ readonly content: Readable; readonly sizeBytes: number }> {
  if (!decrypter)
    throw new BackupError('The backup is encrypted. Specify the file with its age identity with --identity FILE.');
  try {
    const stream = await decrypter.decrypt(Readable.toWeb(file) as ReadableStream<Uint8Array> as never as FileStream);
    return { content: Readable.fromWeb(stream as never), sizeBytes: stream.size(sizeBytes) };
  } catch (error) {
    throw new BackupError(
      'The backup cannot be decrypted: it is encrypted for another identity, or its header is damaged.',
      {
        cause: error,
      },
    );
  }
}
