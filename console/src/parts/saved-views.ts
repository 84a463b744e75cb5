import { useLocalStorage } from '@mantine/hooks';
import { useMatches } from '@tanstack/react-router';
import { useMe } from '../api/me';
import { parseSearch } from './search-params';

/** Name and search of a view, in the order in which they were saved. */
type Views = Readonly<Record<string, string>>;

/** Reads what this browser stored. Anything else than named texts is ignored. */
function viewsIn(stored: string | undefined): Views {
  try {
    const found: unknown = JSON.parse(stored ?? '{}');
    const entries = typeof found === 'object' && found !== null ? Object.entries(found) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}

type Saved = {
  readonly views: readonly { readonly name: string; readonly search: Record<string, string>; readonly text: string }[];
  /** Saves a view under a name, and replaces an earlier one of that name. */
  readonly save: (name: string, text: string) => void;
  readonly remove: (name: string) => void;
};

/** The views of the current list that the signed-in user has saved in this browser. */
export function useSavedViews(): Saved {
  const list = useMatches({ select: (matches) => matches.at(-1)?.routeId ?? '' });
  const userId = useMe()?.user.id;
  const [views, setViews] = useLocalStorage<Views>({
    key: `kontor-views ${userId} ${list}`,
    defaultValue: {},
    deserialize: viewsIn,
    getInitialValueInEffect: false,
  });
  return {
    views: Object.entries(views).map(([name, text]) => ({ name, text, search: parseSearch(text) })),
    save: (name, text) => {
      setViews((now) => ({ ...now, [name]: text }));
    },
    remove: (name) => {
      setViews((now) => Object.fromEntries(Object.entries(now).filter(([each]) => each !== name)));
    },
  };
}
