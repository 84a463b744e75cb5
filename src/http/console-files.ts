import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** Best first; the build leaves a file beside each asset that gains by it. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export type ConsoleFile = {
  readonly content: Buffer;
  readonly type: string;
  readonly encoding: string | undefined;
};

/** The console as `npm run build` leaves it: a page, and assets whose names change with their content. */
export class ConsoleFiles {
  private readonly cached = new Map<string, Promise<Buffer>>();
  private names: ReadonlySet<string> | undefined;

  constructor(private readonly folder: string) {}

  /** The page's HTML; undefined where the console was not built. */
  page(): Promise<string | undefined> {
    return this.read('index.html').then(String, () => undefined);
  }

  /** An asset, in an encoding that the client takes; undefined where there is none of the name. */
  async asset(name: string, acceptEncoding: string | undefined): Promise<ConsoleFile | undefined> {
    const names = (this.names ??= this.list());
    const type = TYPES[extname(name)];
    if (type === undefined || !names.has(name)) return undefined;
    const [encoding, ending] = ENCODINGS.find(
      ([token, suffix]) => takes(acceptEncoding, token) && names.has(name + suffix),
    ) ?? [undefined, ''];
    return { content: await this.read(join('assets', name + ending)), type, encoding };
  }

  /** Once: a name that is not in the list is never looked for on the disk. */
  private list(): ReadonlySet<string> {
    try {
      return new Set(readdirSync(join(this.folder, 'assets')));
    } catch {
      return new Set();
    }
  }

  private read(path: string): Promise<Buffer> {
    const known = this.cached.get(path);
    if (known) return known;
    const reading = readFile(join(this.folder, path));
    this.cached.set(path, reading);
    reading.catch(() => this.cached.delete(path));
    return reading;
  }
}

/** Whether Accept-Encoding names a coding without q=0. */
function takes(acceptEncoding: string | undefined, coding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
