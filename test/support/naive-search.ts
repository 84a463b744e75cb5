/** Folded forms of the letters that tests use. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ İ: 'i', I: 'i', ı: 'i', Ş: 's', ş: 's', Ç: 'c', ç: 'c', Ğ: 'g', ğ: 'g' },
  ...{ Ö: 'o', ö: 'o', Ü: 'u', ü: 'u', é: 'e', É: 'e', ß: 'ss' },
};

/** Returns the search terms in a string. Supports the letters above and ASCII. */
export function naiveWords(text: string): string[] {
  // Converting to lower case may have produced a separate combining dot.
  const plain = text.replace(/[\u0300-\u036f]/g, '').replace(/./gu, (letter) => PLAIN[letter] ?? letter.toLowerCase());
  return plain.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** Whether every search term is a prefix of a word in `texts`. A search without terms finds nothing. */
export function naivelyFinds(search: string, texts: readonly (string | null)[]): boolean {
  const wanted = naiveWords(search);
  const known = texts.flatMap((text) => naiveWords(text ?? ''));
  return wanted.length > 0 && wanted.every((word) => known.some((other) => other.startsWith(word)));
}
