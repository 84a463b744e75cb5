/** One line of the Prometheus text format. */
export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|\})/;
const VALUE = /^ (NaN|[+-]?Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** A strict parser for the Prometheus text format 0.0.4. */
export class MetricsText {
  readonly samples: readonly Sample[];
  /** Types of the metric families, by name. */
  readonly types = new Map<string, string>();
  readonly helps = new Map<string, string>();

  /** @throws Error that contains the malformed line */
  constructor(text: string) {
    if (!text.endsWith('\n')) throw new Error('The last line does not end.');
    this.samples = text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => (line.startsWith('#') ? this.note(line) : [sampleOf(line)]));
    for (const { name } of this.samples) this.typeOf(name);
  }

  /** @throws Error unless exactly one sample matches */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const found = this.all(name, labels);
    const [only] = found;
    if (!only || found.length > 1) throw new Error(`${found.length} of ${name} ${JSON.stringify(labels)}`);
    return only.value;
  }

  all(name: string, labels: Readonly<Record<string, string>> = {}): Sample[] {
    const fits = (sample: Sample): boolean =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
    return this.samples.filter(fits);
  }

  /** @throws Error for a sample without a declared family */
  typeOf(name: string): string {
    const family = [name, name.replace(/_(?:bucket|sum|count)$/, '')].find((one) => this.types.has(one));
    if (family === undefined || !this.helps.has(family)) throw new Error(`${name} has no type or no help`);
    return this.types.get(family) ?? '';
  }

  private note(line: string): [] {
    const [, kind = '', name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    const notes = kind === 'TYPE' ? this.types : this.helps;
    if (kind === '' || notes.has(name) || (kind === 'TYPE' && !TYPES.includes(rest))) throw new Error(line);
    notes.set(name, rest);
    return [];
  }
}

function sampleOf(line: string): Sample {
  const [name = ''] = NAME.exec(line) ?? [];
  if (name === '') throw new Error(line);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    for (let more = true; more;) {
      const [all = '', label = '', value = '', end] = LABEL.exec(rest) ?? [];
      if (all === '' || label in labels) throw new Error(line);
      labels[label] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
      rest = rest.slice(all.length);
      more = end === ',';
    }
  }
  const [, value] = VALUE.exec(rest) ?? [];
  if (value === undefined) throw new Error(line);
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}
