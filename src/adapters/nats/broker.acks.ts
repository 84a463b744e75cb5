import { JetStreamApiError, PubHeaders, type PubAck } from '@nats-io/jetstream';
import { createInbox, errors, headers as noHeaders, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../ports/time.js';
import type { Encoded } from './broker.message.js';

type Waiting = {
  readonly subject: string;
  readonly dueMs: number;
  readonly resolve: (ack: PubAck) => void;
  readonly reject: (error: unknown) => void;
};
/** JetStream's response to a published message (NATS ADR-1, `io.nats.jetstream.api.v1.pub_ack_response`). */
type Answer = Partial<PubAck> & { readonly error?: ConstructorParameters<typeof JetStreamApiError>[0] };

/**
 * Publishes on one connection with a single inbox and a single timer for all acknowledgements. The driver's `publish`
 * creates a timer and an error with a stack trace for each message (docs/adr/0040).
 */
export class AckInbox {
  private readonly inbox = createInbox();
  /**
   * Pending messages by reply address, in the order in which they were sent, which is also the order of their
   * deadlines.
   */
  private readonly waiting = new Map<string, Waiting>();
  private readonly over = new AbortController();
  private sent = 0;
  private isWatched = false;
  private fault: Error | undefined;
  /**
   * Reason why this connection cannot receive acknowledgements. Undefined if the connection can receive them, or could
   * do so until it ended.
   */
  deafness: Error | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: { readonly stream: string; readonly timeoutMs: number; readonly clock: Clock },
  ) {
    connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (error) this.lose(error);
        else this.receive(message);
      },
    });
    this.watchErrors().catch((error: unknown) => {
      this.lose(error as Error);
    });
    void connection.closed().then(() => {
      this.end(new errors.ClosedConnectionError());
    });
  }

  /**
   * Resolves when the stream has stored the message.
   * @throws JetStreamApiError with the server's response; TimeoutError; NoRespondersError if no stream accepts the
   * subject; PermissionViolationError; any driver error for a message that the driver cannot send
   */
  publish({ id, subject, headers = noHeaders(), payload }: Encoded): Promise<PubAck> {
    return new Promise((resolve, reject) => {
      if (this.fault) throw this.fault;
      const { clock, stream, timeoutMs } = this.options;
      this.sent += 1;
      const reply = `${this.inbox}.${this.sent}`;
      headers.set(PubHeaders.MsgIdHdr, id);
      headers.set(PubHeaders.ExpectedStreamHdr, stream);
      this.connection.publish(subject, payload, { headers, reply });
      this.waiting.set(reply, { subject, dueMs: clock.monotonicMs() + timeoutMs, resolve, reject });
      if (!this.isWatched) void this.watchTime();
    });
  }

  private receive(message: Msg): void {
    const found = this.waiting.get(message.subject);
    // The acknowledgement has arrived after its message timed out.
    if (!found) return;
    this.waiting.delete(message.subject);
    try {
      found.resolve(ackOf(message, found.subject));
    } catch (error) {
      found.reject(error);
    }
  }

  /** Rejects overdue messages. Ends when no messages are pending. */
  private async watchTime(): Promise<void> {
    const { clock } = this.options;
    this.isWatched = true;
    for (let first = this.first(); first; first = this.first()) {
      const [reply, { dueMs, reject }] = first;
      const leftMs = dueMs - clock.monotonicMs();
      if (leftMs > 0) await clock.sleep(leftMs, this.over.signal);
      else {
        this.waiting.delete(reply);
        reject(new errors.TimeoutError());
      }
    }
    this.isWatched = false;
  }

  private first(): [string, Waiting] | undefined {
    return this.waiting.entries().next().value;
  }

  /**
   * Watches for publish permission violations. The server reports them separately from acknowledgements, in the order
   * in which the messages were published.
   */
  private async watchErrors(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      const refused = [...this.waiting].find((entry) => entry[1].subject === subject);
      if (operation !== 'publish' || !refused) continue;
      this.waiting.delete(refused[0]);
      refused[1].reject(status.error);
    }
  }

  /**
   * Records that the inbox can no longer receive messages and closes the connection. A new connection has a new inbox.
   */
  private lose(fault: Error): void {
    this.deafness ??= fault;
    this.end(fault);
    void this.connection.close();
  }

  private end(fault: Error): void {
    this.fault ??= fault;
    const given = [...this.waiting.values()];
    this.waiting.clear();
    this.over.abort();
    for (const { reject } of given) reject(this.fault);
  }
}

function ackOf(message: Msg, subject: string): PubAck {
  if (message.data.length === 0 && message.headers?.code === 503) throw new errors.NoRespondersError(subject);
  const answer = message.json<Answer>();
  if (answer.error) throw new JetStreamApiError(answer.error);
  if (!answer.stream || answer.seq === undefined) throw new Error('the response is not an acknowledgement');
  return { ...answer, stream: answer.stream, seq: answer.seq, duplicate: answer.duplicate ?? false };
}
