/**
 * Result of evaluating an strace log. Everything that a response promises must be flushed before the service sends it.
 */
export type FlushTrace = {
  readonly answers: number;
  readonly flushes: number;
  readonly violations: readonly string[];
};

/** Arguments of strace: follow threads, show paths of descriptors, and do not truncate strings. */
export const straceArgs = (output: string): readonly string[] => [
  ...['-f', '-tt', '-y', '-s', '262144', '-o', output],
  ...['-e', 'trace=write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,fsync,fdatasync'],
];

const LINE = /^(\d+)\s+[\d:.]+\s+(.*)$/;
const CALL = /^(\w+)\((\d+)<([^>]*)>(.*)$/;
const RESUMED = /^<\.\.\. \w+ resumed>/;
const RESULT = /\)\s+= (-?\d+)[^)"]*(?:\([^()"]*\))?$/;
const FLUSHES = new Set(['fsync', 'fdatasync']);

type Call =
  { readonly kind: 'write'; readonly markers: readonly string[] } | { readonly kind: 'flush'; readonly covers: number };

/**
 * Processes the calls in order. A write counts once it has completed. A flush covers the writes that completed before
 * the flush began.
 */
class Judge {
  readonly violations: string[] = [];
  answers = 0;
  flushes = 0;
  private lastWrite = 0;
  private flushedTo = 0;
  private readonly carriedBy = new Map<string, number>();

  constructor(
    private readonly log: string,
    private readonly markers: readonly string[],
  ) {}

  begin(name: string, path: string, rest: string): Call | undefined {
    const found = (): string[] => this.markers.filter((marker) => rest.includes(marker));
    if (path.endsWith(this.log)) {
      if (FLUSHES.has(name)) return { kind: 'flush', covers: this.lastWrite };
      return { kind: 'write', markers: found() };
    }
    if (/HTTP\/1\.1 20[12] /.test(rest)) for (const marker of found()) this.answered(marker);
    return undefined;
  }

  end(call: Call, result: number): void {
    if (call.kind === 'flush') {
      if (result !== 0) return;
      this.flushes += 1;
      this.flushedTo = Math.max(this.flushedTo, call.covers);
      return;
    }
    this.lastWrite += 1;
    for (const marker of call.markers) if (!this.carriedBy.has(marker)) this.carriedBy.set(marker, this.lastWrite);
  }

  /** Called when a response begins to be written, because a flush that has not completed by then is too late. */
  private answered(marker: string): void {
    this.answers += 1;
    const written = this.carriedBy.get(marker);
    if (written === undefined) this.violations.push(`${marker} is answered, and no write to ${this.log} carries it`);
    else if (written > this.flushedTo)
      this.violations.push(`${marker} is answered; its write ${written} is not flushed (${this.flushedTo} is)`);
  }
}

/**
 * For every 201 or 202 response that contains one of the markers, checks that the write-ahead log was flushed first.
 * @param log suffix of the write-ahead log's path
 */
export function judgeFlushes(trace: string, log: string, markers: readonly string[]): FlushTrace {
  const judge = new Judge(log, markers);
  const underWay = new Map<string, Call>();
  const resultOf = (text: string): number => Number(RESULT.exec(text)?.[1] ?? -1);
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = LINE.exec(line) ?? [];
    if (RESUMED.test(text)) {
      const call = underWay.get(thread);
      underWay.delete(thread);
      if (call) judge.end(call, resultOf(text));
      continue;
    }
    const [, name, , path = '', rest = ''] = CALL.exec(text) ?? [];
    const call = name === undefined ? undefined : judge.begin(name, path, rest);
    if (call && rest.endsWith('<unfinished ...>')) underWay.set(thread, call);
    else if (call) judge.end(call, resultOf(rest));
  }
  const { answers, flushes, violations } = judge;
  return { answers, flushes, violations };
}
