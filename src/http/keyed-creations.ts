import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalize } from 'json-canonicalize';
import {
  answerRequest,
  type BoundRequestKey,
  claimRequestKey,
  ensureSameRequest,
  fieldHashes,
  type KeyClaim,
  releaseRequestKey,
  requestKey,
  type RequestKey,
  requestKeyId,
  secretShown,
} from '../aggregates/request-key.aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { inContext, type RequestContext } from '../eventsourcing/context.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { hashNewPassword, isSamePassword } from '../security/passwords.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { IDS, type Ids } from '../ports/time.js';
import { sendReplay } from './answer.js';
import { ReadYourWrites } from './read-your-writes.js';
import type { Endpoint } from './endpoint.js';
import { contextOf } from './request-state.js';

/** A request in progress that has an idempotency key. */
export type Creation = {
  readonly target: Target;
  readonly context: RequestContext;
  readonly claim: KeyClaim;
  /** Whether this request, rather than an earlier attempt, claimed the key. */
  readonly isFirst: boolean;
  readonly showsSecret: boolean;
};

type Members = Readonly<Record<string, unknown>>;
type Digests = Pick<KeyClaim, 'fieldHashes' | 'slowHashes'>;
const parted = (body: Members, slowly: readonly string[]): readonly [fast: Members, slow: [string, string][]] => [
  Object.fromEntries(Object.entries(body).filter(([name]) => !slowly.includes(name))),
  Object.entries(body).flatMap(([name, value]) => (slowly.includes(name) ? [[name, canonicalize(value)]] : [])),
];

/**
 * Implements Idempotency-Key for requests that create a record. The claim on a key contains digests of the request and
 * the record's id, so that a retry after a crash creates nothing twice. The handler's response is then stored, and
 * later attempts receive it byte for byte. A rejection or a preview releases the key.
 */
@Injectable()
export class KeyedCreations {
  private readonly turns = new KeyedQueue();

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(ReadYourWrites) private readonly writes: ReadYourWrites,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * Returns the creation to execute; undefined if a stored response was replayed and sent.
   * @throws DomainError IDEMPOTENCY_CONFLICT, SECRET_SHOWN_ONCE
   */
  async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    endpoint: Endpoint,
    { ifMatch: _, ...context }: RequestContext,
  ): Promise<Creation | undefined> {
    const { principal, idempotencyKey = '', received } = request.state;
    // Path parameters distinguish requests just as body fields do.
    const members = { ...(request.params as Members), ...(received as Members) };
    const userId = principal && 'userId' in principal ? principal.userId : '';
    const id = requestKeyId(userId, `${endpoint.method} ${endpoint.path}`, idempotencyKey);
    const target = { tenantId: context.tenantId, id };
    await this.turnOf(`${target.tenantId}/${id}`, reply);
    const { passwordsIn = [], showsSecret = false } = endpoint.creates ?? {};
    const { state, position, isFirst } = await inContext({ ...context, commandId: this.ids.next() }, () =>
      this.claimed(target, members, passwordsIn),
    );
    const { status, body, ...claim } = state;
    if (status === 'claimed') return { target, context, claim, isFirst, showsSecret };
    if (body === null) throw secretShown(claim.recordId);
    sendReplay(reply, body, await this.writes.settled(position, context.tenantId));
    return undefined;
  }

  /** Stores the response to a creation, or releases the key. Returns the body to send. */
  async end(creation: Creation, reply: FastifyReply, sent: string): Promise<string> {
    const { target, claim, showsSecret } = creation;
    if (reply.statusCode >= 500) return sent;
    // A rejected request or a preview has created nothing.
    if (reply.statusCode !== 201) {
      if (creation.isFirst)
        await this.within(creation, () => this.runner.execute(requestKey, target, claim, releaseRequestKey));
      return sent;
    }
    const data = { ...claim, body: showsSecret ? null : sent };
    const { events, state } = await this.within(creation, () =>
      this.runner.execute(requestKey, target, data, answerRequest),
    );
    // Another replica has executed the same request and responded first.
    if (events.length > 0 || state.status !== 'answered' || state.body === null) return sent;
    reply.code(200).header('idempotent-replayed', 'true');
    return state.body;
  }

  private within<T>({ context }: Creation, work: () => Promise<T>): Promise<T> {
    return inContext({ ...context, commandId: this.ids.next() }, work);
  }

  /** Serializes requests with the same key. A turn ends when the response has been sent or the client disconnects. */
  private turnOf(key: string, reply: FastifyReply): Promise<void> {
    return new Promise((enter) => {
      void this.turns.run(key, () => {
        enter();
        return new Promise<void>((leave) => {
          if (reply.raw.closed) leave();
          else reply.raw.once('close', leave);
        });
      });
    });
  }

  private async claimed(
    target: Target,
    body: Members,
    slowly: readonly string[],
  ): Promise<{ state: BoundRequestKey; position: number; isFirst: boolean }> {
    const known = await this.reader.read(requestKey, target.tenantId, target.id);
    if (isBound(known.state)) {
      await ensureSame(known.state, body, slowly);
      return { state: known.state, position: known.position, isFirst: false };
    }
    const claim = { recordId: this.ids.next(), ...(await digestsOf(body, slowly)) };
    const done = await this.runner.execute(requestKey, target, claim, claimRequestKey);
    const isFirst = done.events.length > 0;
    if (!isBound(done.state)) throw new Error('A claimed key is bound.');
    if (!isFirst) await ensureSame(done.state, body, slowly);
    return { state: done.state, position: done.position, isFirst };
  }
}

const isBound = (state: RequestKey): state is BoundRequestKey => state.status !== 'free';

async function digestsOf(body: Members, slowly: readonly string[]): Promise<Digests> {
  const [fast, slow] = parted(body, slowly);
  const slowHashes: Record<string, string> = {};
  for (const [name, text] of slow) slowHashes[name] = await hashNewPassword(text);
  return { fieldHashes: fieldHashes(fast), slowHashes };
}

/** @throws DomainError IDEMPOTENCY_CONFLICT with the fields that differ */
async function ensureSame(known: Digests, body: Members, slowly: readonly string[]): Promise<void> {
  const [fast, slow] = parted(body, slowly);
  const given = fieldHashes(fast);
  for (const [name, text] of slow) {
    const hash = known.slowHashes[name];
    given[name] = hash !== undefined && (await isSamePassword(hash, text)) ? hash : '';
  }
  ensureSameRequest({ ...known.fieldHashes, ...known.slowHashes }, given);
}

export type WriteOptions = {
  readonly ids: Ids;
  /** Implements Idempotency-Key on routes that create records. Default: the header is ignored. */
  readonly creations?: KeyedCreations;
};

/**
 * Runs the remaining steps of a write in its context. If a creation's key has a stored response, that response is
 * replayed.
 */
export function beginWrite(
  request: FastifyRequest,
  reply: FastifyReply,
  { ids, creations }: WriteOptions,
  done: (error?: Error) => void,
): void {
  const { state } = request;
  const context = contextOf(request, ids.next());
  state.newId = ids.next();
  if (state.endpoint?.creates === undefined || state.idempotencyKey === undefined || creations === undefined) {
    inContext(context, done);
    return;
  }
  creations.begin(request, reply, state.endpoint, context).then((creation) => {
    if (creation === undefined) return;
    state.creation = creation;
    state.newId = creation.claim.recordId;
    inContext(context, done);
  }, done);
}

/** `onSend` hook of routes that create records. Stores the response for replays. */
export const endCreation =
  ({ creations }: WriteOptions) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const { creation } = request.state;
    return creation === undefined || creations === undefined
      ? payload
      : creations.end(creation, reply, String(payload));
  };
