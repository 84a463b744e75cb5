import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Endpoint, Shape } from './endpoint.js';

/** JSON text from a read store. It is sent without being parsed. */
export class JsonText {
  constructor(readonly text: string) {}
}

export type AnswerOptions = {
  /** Overrides the declared status, for example with 200 for a replay. */
  readonly status?: number;
  /** Value of the ETag header. */
  readonly revision?: number;
  /** Value of the X-Event-Position header. */
  readonly position?: number;
  /** Whether to send `X-Read-Model: behind`, because the read models did not catch up in time. */
  readonly behind?: boolean;
  /** Whether to send `Idempotent-Replayed: true`. */
  readonly replayed?: boolean;
  /** Media type of a body that is not JSON: text, bytes, a Readable or an async iterable. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
};

/** A handler's result with a specific status or specific headers. */
export class Answer {
  constructor(
    readonly body: unknown,
    readonly options: AnswerOptions = {},
  ) {}
}
export const answer = (body: unknown, options: AnswerOptions = {}): Answer => new Answer(body, options);

const JSON_TYPE = 'application/json; charset=utf-8';
const WRAPPED: readonly Shape[] = ['envelope', 'command', 'lookup'];
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

/** Serializes the body. `undefined` becomes null. */
function textOf(body: unknown): string {
  if (body instanceof JsonText) return body.text;
  return body === undefined ? 'null' : JSON.stringify(body);
}

/** Sends a handler's result in the declared shape. */
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
  // Serialize the body before setting headers, so that a failure results in a clean 500 response.
  const text = textOf(body);
  if (options !== undefined) setHeaders(reply, options);
  reply.code(sent).header('content-type', JSON_TYPE);
  reply.send(WRAPPED.includes(shape) ? `{"statusCode":${toldStatus(endpoint, sent, options)},"data":${text}}` : text);
}

/** Sends the stored body of an earlier response. */
export function sendReplay(reply: FastifyReply, text: string, options: AnswerOptions): void {
  setHeaders(reply, { ...options, replayed: true });
  reply.code(200).header('content-type', JSON_TYPE).send(text);
}

/** Returns the status to include in the body. A replay repeats the status of the first response. */
const toldStatus = ({ answers }: Endpoint, sent: number, options: AnswerOptions | undefined): number =>
  options?.replayed === true ? answers.status : sent;

function sendRaw(reply: FastifyReply, status: number, type: string, body: unknown, options?: AnswerOptions): void {
  if (options !== undefined) setHeaders(reply, options);
  reply.code(status).header('content-type', type);
  // Prevents proxies from buffering events.
  if (type.startsWith('text/event-stream')) reply.header('x-accel-buffering', 'no');
  // When the client disconnects, Fastify destroys the stream, which ends the iteration.
  const content = isIterable(body) ? Readable.from(body) : body;
  reply.send(reply.request.method === 'HEAD' ? unread(content) : content);
}

/** A HEAD request must not read a stream, because the stream may be endless. */
function unread(content: unknown): unknown {
  if (!(content instanceof Readable)) return content;
  content.destroy();
  return Readable.from([]);
}

const isIterable = (body: unknown): body is AsyncIterable<unknown> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body && !(body instanceof Readable);
