import { englishOf, pathWords } from './field-names';
import { language } from './language';

type Names = Readonly<Record<string, string>>;

// A separate file, because most pages do not need these names.
const load = import.meta.glob<Names>('./fields/*.json', { import: 'default' })[`./fields/${language}.json`];
const names: Names = (await load?.()) ?? {};

/** Returns a field path, such as `lines[0].quantity`, in the viewer's language. */
export const fieldWords = (path: string): string => pathWords(path, (code) => names[code] ?? englishOf(code));
