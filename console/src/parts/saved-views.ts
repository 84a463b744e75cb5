import { useLocalStorage } from '@mantine/hooks';
import { useMatches } from '@tanstack/react-router';
import { useMe } from '../api/me';
import { parseSearch } from './search-params';

/** Search parameters of the views, keyed by name, in the order in which the views were saved. */
type Views = Readonly<Record<string, string>>;

/** Parses the views stored in this browser. Ignores values that are not strings. */
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
  /** Saves a view under a name. Replaces an earlier view with that name. */
  readonly save: (name: string, text: string) => void;
  readonly remove: (name: string) => void;
};

/** Returns the views of the current list that the signed-in user has saved in this browser. */
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
