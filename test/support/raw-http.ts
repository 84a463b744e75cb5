import { connect } from 'node:net';

export type RawAnswer = {
  readonly status: number;
  /** Header values, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** All data received, as text. */
  readonly text: string;
};

/** Sends bytes unchanged and returns everything received until the server closes the connection. */
export async function talk(url: string, bytes: string | readonly string[], pauseMs = 0): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => {
      const parts = typeof bytes === 'string' ? [bytes] : [...bytes];
      const next = (): void => {
        const part = parts.shift();
        if (part === undefined || socket.destroyed) return;
        socket.write(part, 'latin1');
        if (parts.length > 0) setTimeout(next, pauseMs);
      };
      next();
    });
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('close', () => {
      resolve(received);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve(received);
      else reject(error);
    });
  });
}

/** Parses the first response in the received text. */
export function parsed(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...lines] = (end < 0 ? text : text.slice(0, end)).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((one) => {
      const colon = one.indexOf(':');
      return [one.slice(0, colon).toLowerCase(), one.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0), headers, body: text.slice(end + 4), text };
}
