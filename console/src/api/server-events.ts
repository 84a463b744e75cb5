import { authorizedFetch } from './client';
import { problemOf } from './problem';

export type ServerEvent = { readonly id: string; readonly event: string; readonly data: unknown };
/** `live`: connected. `waiting`: disconnected, with a reconnection pending. */
export type LiveState = 'connecting' | 'live' | 'waiting';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/**
 * The service sends a comment every 15 s. A connection that receives no data for longer than this timeout is considered
 * dead.
 */
const SILENCE_MS = 40_000;

type Watch = {
  readonly onEvent: (event: ServerEvent) => void;
  readonly onState: (state: LiveState) => void;
  readonly signal: AbortSignal;
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });

/** Parses one block of an event stream (WHATWG HTML, 9.2.6). Returns undefined for a comment. */
function parsed(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const before = fields.get(line.slice(0, colon));
    fields.set(line.slice(0, colon), before === undefined ? value : `${before}\n${value}`);
  }
  const text = fields.get('data');
  if (text === undefined) return undefined;
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? 'message', data: JSON.parse(text) as unknown };
}

async function readAll(body: ReadableStream<Uint8Array>, onBlock: (block: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    blocks.forEach(onBlock);
  }
}

/**
 * Follows a stream of server-sent events until the signal aborts. Uses fetch, because EventSource cannot send the
 * token. Reconnects with backoff and resumes after the last event received.
 */
export async function followEvents(path: string, { onEvent, onState, signal }: Watch): Promise<void> {
  let lastId = '';
  for (let tries = 0; !signal.aborted; tries += 1) {
    onState(tries === 0 ? 'connecting' : 'waiting');
    if (tries > 0) {
      const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 8));
      await pause(longest / 2 + Math.random() * (longest / 2), signal);
    }
    try {
      await once(path, lastId, signal, {
        opened: () => {
          tries = 0;
          onState('live');
        },
        took: (event) => {
          lastId = event.id;
          onEvent(event);
        },
      });
    } catch (error) {
      if (problemOf(error).status === 403) return;
    }
  }
}

type Connection = { readonly opened: () => void; readonly took: (event: ServerEvent) => void };

async function once(path: string, lastId: string, signal: AbortSignal, { opened, took }: Connection): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => undefined, 0);
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      silence.abort();
    }, SILENCE_MS);
  };
  heard();
  try {
    const request = new Request(new URL(path, location.origin), {
      headers: { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    const response = await authorizedFetch(request);
    if (!response.ok || response.body === null) throw await problemOf(response);
    opened();
    await readAll(response.body, (block) => {
      heard();
      const event = parsed(block);
      if (event) took(event);
    });
  } finally {
    clearTimeout(timer);
  }
}
