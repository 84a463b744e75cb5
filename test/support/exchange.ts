import { Agent, request, type IncomingMessage } from 'node:http';

export type Exchange = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};
export type Exchanged = {
  readonly status: number;
  /** Header values, by lower-case name. If a header occurs several times, contains only its last value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the response. Empty for an event stream, because `exchange` does not wait for the end of the stream. */
  readonly text: string;
};

/** Thrown if the connection was refused or lost, so that there was no complete response. */
export class ConnectionLost extends Error {}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a request and reads its response. Does not follow redirects. Uses a third of the CPU time of `fetch`.
 * @throws ConnectionLost
 */
export function exchange(url: string, { method = 'GET', headers = {}, body }: Exchange = {}): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const lost = (cause: Error): void => {
      reject(new ConnectionLost(`${method} ${url}: ${cause.message}`, { cause }));
    };
    const sent = request(url, { method, agent, headers: { ...length, ...headers } }, (answer) => {
      void textOf(answer).then((text) => {
        resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), text });
      }, lost);
    });
    sent.on('error', lost);
    sent.end(body);
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  if (answer.headers['content-type']?.startsWith('text/event-stream')) {
    answer.destroy();
    return '';
  }
  answer.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer) text += chunk as string;
  return text;
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? (value.at(-1) ?? '') : (value ?? '')]),
  );
