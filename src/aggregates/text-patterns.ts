/** A state of the automaton: letters lead on, `fallback` is the longest proper suffix that is a state, too. */
type Node = {
  readonly next: Map<number, Node>;
  fallback: Node;
  /** Keys of the patterns that end here, with those that end at a suffix of it. */
  ends: readonly number[];
};
type Pattern = { readonly text: string; readonly key: number };

/**
 * Finds all of many patterns in a text in one pass, whatever their number. Source: A. V. Aho, M. J. Corasick, "Efficient
 * string matching: an aid to bibliographic search", Communications of the ACM 18 (1975).
 */
export class TextPatterns {
  private readonly root: Node;

  /** `keys` tell the patterns apart; the same text may come more than once. Empty texts are never found. */
  constructor(patterns: readonly Pattern[]) {
    const root = { next: new Map<number, Node>(), ends: [] } as unknown as Node;
    root.fallback = root;
    this.root = root;
    for (const pattern of patterns) if (pattern.text !== '') this.add(pattern);
    this.link();
  }

  /** Calls `found` with the key of every occurrence of every pattern, in order of where they end. */
  each(text: string, found: (key: number) => void): void {
    let node = this.root;
    for (let at = 0; at < text.length; at += 1) {
      const letter = text.charCodeAt(at);
      let next = node.next.get(letter);
      while (next === undefined && node !== this.root) {
        node = node.fallback;
        next = node.next.get(letter);
      }
      node = next ?? this.root;
      for (const key of node.ends) found(key);
    }
  }

  private add({ text, key }: Pattern): void {
    let node = this.root;
    for (let at = 0; at < text.length; at += 1) {
      const letter = text.charCodeAt(at);
      let next = node.next.get(letter);
      if (!next) {
        next = { next: new Map(), fallback: this.root, ends: [] };
        node.next.set(letter, next);
      }
      node = next;
    }
    node.ends = [...node.ends, key];
  }

  /** Breadth first, so that every fallback is finished before it is needed. */
  private link(): void {
    let level = [...this.root.next.values()];
    while (level.length > 0) {
      const deeper: Node[] = [];
      for (const node of level) {
        for (const [letter, child] of node.next) {
          child.fallback = this.after(node.fallback, letter);
          child.ends = [...child.ends, ...child.fallback.ends];
          deeper.push(child);
        }
      }
      level = deeper;
    }
  }

  private after(from: Node, letter: number): Node {
    let node = from;
    while (!node.next.has(letter) && node !== this.root) node = node.fallback;
    return node.next.get(letter) ?? this.root;
  }
}
