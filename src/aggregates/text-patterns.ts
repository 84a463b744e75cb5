/** A state of the automaton. `fallback` is the state for the longest proper suffix that is also a state. */
type Node = {
  readonly next: Map<number, Node>;
  fallback: Node;
  /** Keys of the patterns that end in this state or in one of its suffixes. */
  ends: readonly number[];
};
type Pattern = { readonly text: string; readonly key: number };

/**
 * Finds any number of patterns in a text in a single pass. Source: A. V. Aho, M. J. Corasick, "Efficient string
 * matching: an aid to bibliographic search", Communications of the ACM 18 (1975).
 */
export class TextPatterns {
  private readonly root: Node;

  /** Each pattern is identified by its `key`. Several patterns may have the same text. Empty text never matches. */
  constructor(patterns: readonly Pattern[]) {
    const root = { next: new Map<number, Node>(), ends: [] } as unknown as Node;
    root.fallback = root;
    this.root = root;
    for (const pattern of patterns) if (pattern.text !== '') this.add(pattern);
    this.link();
  }

  /** Calls `found` with the pattern's key for every occurrence of a pattern, in order of end position. */
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

  /** Links the fallbacks in breadth-first order, so that each one is complete before it is first used. */
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
