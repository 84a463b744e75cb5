import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A name's addresses as bytes, or no response at all. */
export type Answer = { readonly v4?: readonly number[]; readonly v6?: readonly number[] } | 'silent';

const A = 1;
const NO_SUCH_NAME = 3;

/** A local DNS server (RFC 1035). */
export class DnsServer {
  readonly asked: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly names: Readonly<Record<string, Answer>>,
  ) {
    socket.on('message', (query, { port, address }) => {
      const reply = this.replyTo(query);
      if (reply) socket.send(reply, port, address);
    });
  }

  static async start(names: Readonly<Record<string, Answer>>): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket, names);
  }

  get server(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): void {
    this.socket.close();
  }

  private replyTo(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join('.').toLowerCase();
    this.asked.push(name);
    const answer = this.names[name];
    if (answer === 'silent') return undefined;
    const type = query.readUInt16BE(at + 1);
    const data = type === A ? answer?.v4 : answer?.v6;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 + (answer ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(data ? 1 : 0, 6);
    const question = query.subarray(12, at + 5);
    if (!data) return Buffer.concat([header, question]);
    // A pointer to the name in the question, the type, class IN, a TTL of 60 s, and the data length.
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
    return Buffer.concat([header, question, record]);
  }
}
