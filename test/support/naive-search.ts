/** Letters that tests write, spelled plainly. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ İ: 'i', I: 'i', ı: 'i', Ş: 's', ş: 's', Ç: 'c', ç: 'c', Ğ: 'g', ğ: 'g' },
  ...{ Ö: 'o', ö: 'o', Ü: 'u', ü: 'u', é: 'e', É: 'e', ß: 'ss' },
};

/** The words of a text as they are searched, for the letters above and those of ASCII. */
export function naiveWords(text: string): string[] {
  // Lower case may have written a dot as a mark of its own.
  const plain = text.replace(/[\u0300-\u036f]/g, '').replace(/./gu, (letter) => PLAIN[letter] ?? letter.toLowerCase());
  return plain.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** Whether each word of a search begins some word of the texts. A search without a word finds nothing. */
export function naivelyFinds(search: string, texts: readonly (string | null)[]): boolean {
  const wanted = naiveWords(search);
  const known = texts.flatMap((text) => naiveWords(text ?? ''));
  return wanted.length > 0 && wanted.every((word) => known.some((other) => other.startsWith(word)));
}
