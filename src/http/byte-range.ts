import type { ReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { answer, type Answer } from './answer.js';

type File = { readonly file: FileHandle; readonly sizeBytes: number; readonly etag: string };
type Headers = { readonly range?: string | undefined; readonly 'if-range'?: string | string[] | undefined };
/** First and last byte of a range; null if the range contains no byte of the file. */
type Bytes = { readonly start: number; readonly end: number } | null;

/**
 * Returns the requested byte range (RFC 9110, section 14.2), or undefined for the whole file. A malformed header, a
 * unit other than bytes, and multiple ranges also select the whole file.
 */
function bytesIn({ range = '', 'if-range': ifRange }: Headers, { sizeBytes, etag }: File): Bytes | undefined {
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const [, first, last, suffix] = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/.exec(range) ?? [];
  const end = sizeBytes - 1;
  if (suffix !== undefined) return within({ start: Math.max(0, sizeBytes - Number(suffix)), end }, sizeBytes);
  if (first === undefined) return undefined;
  const wanted = { start: Number(first), end: last ? Number(last) : Math.max(end, Number(first)) };
  return wanted.end < wanted.start ? undefined : within(wanted, sizeBytes);
}

const within = ({ start, end }: NonNullable<Bytes>, sizeBytes: number): Bytes =>
  start < sizeBytes ? { start, end: Math.min(end, sizeBytes - 1) } : null;

/** Opens the requested part of a file. The stream closes the file when it ends or the client disconnects. */
export function partOf(file: File, headers: Headers): Part {
  const bytes = bytesIn(headers, file);
  const whole = { 'accept-ranges': 'bytes', etag: file.etag };
  if (bytes === undefined) {
    const content = file.file.createReadStream({ start: 0 });
    return {
      ...{ content, isEmpty: false },
      send: (more) => answer(content, { headers: { ...more, ...whole, 'content-length': file.sizeBytes } }),
    };
  }
  if (bytes === null) {
    // The range is empty, but the stream must still close the file.
    const content = file.file.createReadStream({ start: file.sizeBytes });
    const headersOfNone = { ...whole, 'content-range': `bytes */${file.sizeBytes}`, 'content-length': 0 };
    return { content, isEmpty: true, send: () => answer(content, { status: 416, headers: headersOfNone }) };
  }
  const { start, end } = bytes;
  const content = file.file.createReadStream({ start, end });
  const range = { 'content-range': `bytes ${start}-${end}/${file.sizeBytes}`, 'content-length': end - start + 1 };
  return {
    ...{ content, isEmpty: false },
    send: (more) => answer(content, { status: 206, headers: { ...more, ...whole, ...range } }),
  };
}

type Part = {
  readonly content: ReadStream;
  /** Whether the requested range contains no byte of the file. */
  readonly isEmpty: boolean;
  readonly send: (headers: Readonly<Record<string, string>>) => Answer;
};
