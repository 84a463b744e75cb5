import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** Response to a delivery. With `hang`, the receiver does not respond. */
export type HookReply =
  'hang' | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
};
/** Members of a CloudEvent that tests read. */
export type ReceivedEvent = {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly sequence: string;
  readonly replayed?: true;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A local webhook receiver. Responds as `answer` specifies, by default with 204. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  answer: (path: string, body: string) => HookReply | Promise<HookReply> = () => ({ status: 204 });
  private readonly hanging = new Set<ServerResponse>();
  private deciding = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        void this.respond(request.url ?? '', request.headers, Buffer.concat(parts).toString(), response);
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WebhookReceiver(server);
  }

  /** Number of received requests to which the receiver has not responded. */
  get unanswered(): number {
    return this.deciding + this.hanging.size;
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** Returns the events that the receiver has accepted at a path, in order. */
  eventsAt(path: string): ReceivedEvent[] {
    return this.received
      .filter((one) => one.path === path && one.status < 300)
      .map(({ body }) => JSON.parse(body) as ReceivedEvent);
  }

  async close(): Promise<void> {
    for (const response of this.hanging) response.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(path: string, headers: IncomingHttpHeaders, body: string, response: ServerResponse) {
    this.deciding += 1;
    const reply = await this.answer(path, body);
    this.deciding -= 1;
    const status = reply === 'hang' ? 0 : reply.status;
    this.received.push({ path, headers, body, status: reply === 'hang' ? 999 : status });
    if (reply === 'hang') this.hang(response);
    else response.writeHead(status, reply.headers).end(reply.body);
  }

  private hang(response: ServerResponse): void {
    this.hanging.add(response);
    response.once('close', () => this.hanging.delete(response));
  }
}

/** Verifies the signature with the reference library of Standard Webhooks. @throws Error if the signature is invalid */
export const verified = ({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string): ReceivedEvent =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as ReceivedEvent;
