import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { BSON } from 'mongodb';

export type Doc = Record<string, unknown>;
type Collections = Map<string, Map<string, Doc>>;
type Update = { readonly q: Doc; readonly u: Doc; readonly upsert?: boolean };
type Listener = (command: Doc, member: Member) => void;

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const NOT_WRITABLE_PRIMARY = 10_107;
const DUPLICATE_KEY = 11_000;

/**
 * Two members of a replica set that speak MongoDB's protocol over TCP and keep documents in memory. Models the effect
 * of a failover on writes. A `local` read returns a member's own data, and a `majority` read returns the data of a
 * majority. After a failover, the previous primary rolls back the writes that have not reached a majority.
 */
export class ReplicaSet {
  readonly members: readonly Member[];
  /** Commands in order of arrival. Each command is added after its execution. */
  readonly commands: Doc[] = [];
  onCommand: Listener = () => undefined;
  /** Overrides a member's response. */
  refuse: (command: Doc) => Doc | undefined = () => undefined;
  private primary = 0;
  private term = 1;
  private isIsolated = false;

  private constructor() {
    const note: Listener = (command, member) => {
      this.commands.push(command);
      this.onCommand(command, member);
    };
    this.members = [0, 1].map((at) => new Member(this, at, note));
  }

  /** @param hosts addresses to listen on, so that the set replaces another one */
  static async start(hosts: readonly string[] = []): Promise<ReplicaSet> {
    const set = new ReplicaSet();
    await Promise.all(set.members.map((member, at) => member.listen(Number(hosts[at]?.split(':')[1] ?? 0))));
    return set;
  }

  get url(): string {
    return `mongodb://${this.hosts.join(',')}/kontor?replicaSet=model`;
  }

  get hosts(): readonly string[] {
    return this.members.map(({ host }) => host);
  }

  /** Prevents the primary's further writes from reaching the other member. The primary does not detect this. */
  isolatePrimary(): void {
    this.isIsolated = true;
  }

  /** Elects the other member. The previous primary then rolls back the writes that have not reached a majority. */
  failOver(): void {
    const former = this.members[this.primary];
    this.primary = 1 - this.primary;
    this.term += 1;
    this.isIsolated = false;
    former?.rollBack();
  }

  isPrimary(member: Member): boolean {
    return member.at === this.primary;
  }

  /** Replicates the member's data unless the primary is isolated. Returns whether a majority has it. */
  replicate(from: Member): boolean {
    if (this.isIsolated) return false;
    for (const member of this.members) member.take(from.local);
    return true;
  }

  hello(member: Member): Doc {
    const isWritablePrimary = this.isPrimary(member);
    return {
      ...{
        ismaster: isWritablePrimary,
        isWritablePrimary,
        secondary: !isWritablePrimary,
        setName: 'model',
        setVersion: 1,
      },
      ...(isWritablePrimary && { electionId: new BSON.ObjectId(this.term.toString(16).padStart(24, '0')) }),
      ...{ hosts: this.hosts, me: member.host, primary: this.hosts[this.primary] },
      ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
      ...{ logicalSessionTimeoutMinutes: 30, minWireVersion: 0, maxWireVersion: 21, readOnly: false },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
  }
}

class Member {
  local: Collections = new Map();
  private committed: Collections = new Map();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(
    private readonly set: ReplicaSet,
    readonly at: number,
    private readonly onCommand: Listener,
  ) {
    this.server = createServer((socket) => {
      this.serve(socket);
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async listen(port: number): Promise<void> {
    await once(this.server.listen(port, '127.0.0.1'), 'listening');
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  take(documents: Collections): void {
    this.local = structuredCopy(documents);
    this.committed = structuredCopy(documents);
  }

  rollBack(): void {
    this.local = structuredCopy(this.committed);
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const size = received.readInt32LE(0);
        socket.write(this.answer(received.subarray(0, size)));
        received = received.subarray(size);
      }
    });
  }

  private answer(message: Buffer): Buffer {
    const requestId = message.readInt32LE(4);
    if (message.readInt32LE(12) === OP_QUERY) {
      const head = Buffer.alloc(20);
      head.writeInt32LE(1, 16);
      return framed(requestId, OP_REPLY, head, { ...this.set.hello(this), ok: 1 });
    }
    const command = commandOf(message);
    const reply = this.carryOut(command);
    this.onCommand(command, this);
    return framed(requestId, OP_MSG, Buffer.alloc(5), reply);
  }

  private carryOut(command: Doc): Doc {
    const [name = ''] = Object.keys(command);
    if (['hello', 'ismaster', 'isMaster'].includes(name)) return { ...this.set.hello(this), ok: 1 };
    const refusal = this.set.refuse(command);
    if (refusal) return { ok: 0, ...refusal };
    if (['ping', 'endSessions', 'createIndexes', 'killCursors'].includes(name)) return { ok: 1 };
    if (!this.set.isPrimary(this)) {
      return {
        ok: 0,
        code: NOT_WRITABLE_PRIMARY,
        codeName: 'NotWritablePrimary',
        errmsg: 'not primary',
        errorLabels: ['RetryableWriteError'],
      };
    }
    const collection = String(command[name]);
    if (name === 'listIndexes') return { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: 'no indexes' };
    if (name === 'find') return this.find(collection, command);
    if (name === 'insert')
      return this.write(
        command,
        (command.documents as Doc[]).map((each) => () => this.insert(collection, each)),
      );
    if (name === 'update')
      return this.write(
        command,
        (command.updates as Update[]).map((each) => () => this.update(collection, each)),
      );
    return { ok: 0, code: 59, errmsg: `the model has no command ${name}` };
  }

  private find(collection: string, command: Doc): Doc {
    const isMajority = (command.readConcern as Doc | undefined)?.level === 'majority';
    const documents = (isMajority ? this.committed : this.local).get(collection);
    const firstBatch = [...(documents?.values() ?? [])].filter((document) => matches(document, command.filter as Doc));
    return { cursor: { id: new BSON.Long(0), ns: `kontor.${collection}`, firstBatch }, ok: 1 };
  }

  private write(command: Doc, writes: readonly (() => Doc)[]): Doc {
    const done = writes.map((write, index): Doc => ({ index, ...write() }));
    const writeErrors = done.filter(({ code }) => code !== undefined);
    const upserted = done.filter(({ _id }) => _id !== undefined);
    const sum = (field: string) => done.reduce((all, each) => all + Number(each[field] ?? 0), 0);
    const isKept = this.set.replicate(this);
    const waits = (command.writeConcern as Doc | undefined)?.w === 'majority';
    return {
      ...{ n: sum('n'), nModified: sum('n'), ok: 1 },
      ...(upserted.length > 0 && { upserted }),
      ...(writeErrors.length > 0 && { writeErrors }),
      ...(waits && !isKept && { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } }),
    };
  }

  private insert(name: string, document: Doc): Doc {
    const collection = this.collection(name);
    const id = String(document._id);
    if (collection.has(id)) return { n: 0, code: DUPLICATE_KEY, errmsg: 'E11000 duplicate key error' };
    collection.set(id, document);
    return { n: 1 };
  }

  private update(name: string, { q, u, upsert }: Update): Doc {
    const collection = this.collection(name);
    const found = [...collection.values()].find((document) => matches(document, q));
    if (!found && !upsert) return { n: 0 };
    const before = found ?? { _id: q._id };
    const id = String(before._id);
    collection.set(id, { ...changed(before, u, !found), _id: before._id });
    return found ? { n: 1 } : { n: 1, _id: before._id };
  }

  private collection(name: string): Map<string, Doc> {
    const known = this.local.get(name) ?? new Map<string, Doc>();
    this.local.set(name, known);
    return known;
  }
}

const structuredCopy = (documents: Collections): Collections =>
  new Map([...documents].map(([name, collection]) => [name, new Map(collection)]));

function matches(document: Doc, filter: Doc): boolean {
  return Object.entries(filter).every(([path, wanted]) => {
    if (typeof wanted !== 'object' || wanted === null) return document[path] === wanted;
    if ('$in' in wanted) return (wanted.$in as unknown[]).includes(document[path]);
    throw new Error(`The model has no operator ${JSON.stringify(wanted)}`);
  });
}

function changed(document: Doc, update: Doc, isNew: boolean): Doc {
  if (!Object.keys(update).some((key) => key.startsWith('$'))) return update;
  const raised = Object.entries((update.$max ?? {}) as Record<string, number>).map(([path, value]) => [
    path,
    Math.max(value, Number(document[path] ?? value)),
  ]);
  return {
    ...document,
    ...(update.$set as Doc | undefined),
    ...(isNew && (update.$setOnInsert as Doc | undefined)),
    ...(Object.fromEntries(raised) as Doc),
  };
}

/** Returns the body of an OP_MSG, with its document sequences as arrays. */
function commandOf(message: Buffer): Doc {
  let command: Doc = {};
  for (let at = 20; at < message.length;) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    if (kind === 0) command = { ...BSON.deserialize(section), ...command };
    else {
      const end = section.indexOf(0, 4);
      const documents: Doc[] = [];
      for (let from = end + 1; from < size; from += section.readInt32LE(from)) {
        documents.push(BSON.deserialize(section.subarray(from, from + section.readInt32LE(from))));
      }
      command = { ...command, [section.toString('utf8', 4, end)]: documents };
    }
    at += 1 + size;
  }
  return command;
}

function framed(responseTo: number, opcode: number, head: Buffer, document: Doc): Buffer {
  const body = Buffer.concat([head, BSON.serialize(document)]);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(responseTo, 8);
  header.writeInt32LE(opcode, 12);
  return Buffer.concat([header, body]);
}
