import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Endpoint, Shape } from './endpoint.js';

/** JSON that is already text, as a read store holds it: goes out as it is, without being parsed or built again. */
export class JsonText {
  constructor(readonly text: string) {}
}

export type AnswerOptions = {
  /** Instead of the declared status: 200 for a replay. */
  readonly status?: number;
  /** Sent as ETag. */
  readonly revision?: number;
  /** Sent as X-Event-Position. */
  readonly position?: number;
  /** The read models did not catch up in time: X-Read-Model: behind. */
  readonly behind?: boolean;
  /** Idempotent-Replayed: true. */
  readonly replayed?: boolean;
  /** The body is no JSON but text, bytes, a Readable or an async iterable, of this media type. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
};

/** What a handler returns when it has more to say than a body. */
export class Answer {
  constructor(
    readonly body: unknown,
    readonly options: AnswerOptions = {},
  ) {}
}
export const answer = (body: unknown, options: AnswerOptions = {}): Answer => new Answer(body, options);

const JSON_TYPE = 'application/json; charset=utf-8';
const WRAPPED: Readonly<Record<Shape, boolean>> = {
  envelope: true,
  command: true,
  lookup: true,
  page: false,
  plain: false,
  sse: false,
  file: false,
  'page-html': false,
};
const TYPE: Partial<Readonly<Record<Shape, string>>> = {
  sse: 'text/event-stream; charset=utf-8',
  file: 'application/octet-stream',
  'page-html': 'text/html; charset=utf-8',
};

function setHeaders(reply: FastifyReply, options: AnswerOptions): void {
  if (options.revision !== undefined) reply.header('etag', `"${options.revision}"`);
  if (options.position !== undefined) reply.header('x-event-position', String(options.position));
  if (options.behind === true) reply.header('x-read-model', 'behind');
  if (options.replayed === true) reply.header('idempotent-replayed', 'true');
  if (options.headers !== undefined) reply.headers(options.headers);
}

/** The body's JSON. `undefined` has none and is sent as null. */
function textOf(body: unknown): string {
  if (body instanceof JsonText) return body.text;
  return body === undefined ? 'null' : JSON.stringify(body);
}

/** Sends what a handler returned, in the declared shape. */
export function sendAnswer(reply: FastifyReply, endpoint: Endpoint, result: unknown): void {
  const { status, shape } = endpoint.answers;
  const options = result instanceof Answer ? result.options : undefined;
  const body = result instanceof Answer ? result.body : result;
  const sent = options?.status ?? status;
  const type = options?.type ?? TYPE[shape];
  if (type !== undefined) {
    sendRaw(reply, sent, type, body, options);
    return;
  }
  // Before the headers: a body that can't be serialised becomes a clean 500.
  const text = textOf(body);
  if (options !== undefined) setHeaders(reply, options);
  reply.code(sent).header('content-type', JSON_TYPE);
  reply.send(WRAPPED[shape] ? `{"statusCode":${sent},"data":${text}}` : text);
}

function sendRaw(reply: FastifyReply, status: number, type: string, body: unknown, options?: AnswerOptions): void {
  if (options !== undefined) setHeaders(reply, options);
  reply.code(status).header('content-type', type);
  // A proxy that buffers would hold events back.
  if (type.startsWith('text/event-stream')) reply.header('x-accel-buffering', 'no');
  // Fastify destroys the stream, and so ends the iteration, when the client goes away.
  reply.send(isIterable(body) ? Readable.from(body) : body);
}

const isIterable = (body: unknown): body is AsyncIterable<unknown> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body && !(body instanceof Readable);
