import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Target } from '../eventsourcing/command.js';
import { tenantScope, type Scope } from '../ports/read-store.js';
import type { OperatorPrincipal, PartnerPrincipal, UserPrincipal } from '../security/principal.js';
import { prefers } from './accept.js';
import type { Access } from './endpoint.js';
import { tenantOf } from './request-state.js';

/** Principal type for each `who` of a route declaration. */
export type Callers = {
  readonly public: undefined;
  readonly token: undefined;
  readonly any: UserPrincipal | OperatorPrincipal;
  readonly platform: OperatorPrincipal;
  readonly partner: PartnerPrincipal;
  readonly tenant: UserPrincipal;
  readonly 'tenant-admin': UserPrincipal;
};
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type OutputOf<D, Part extends 'body' | 'query'> =
  D extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.output<Schema> : undefined;

/** An admitted request with validated input. Its types are derived from the route's declaration. */
export class Call<Who extends Access['who'] = Access['who'], Path extends string = string, D = unknown> {
  constructor(readonly request: FastifyRequest) {}

  get caller(): Callers[Who] {
    return this.request.state.principal as Callers[Who];
  }

  /** The caller's tenant; `platform` for operators. */
  get tenantId(): string {
    return tenantOf(this.request.state.principal);
  }

  get scope(): Scope {
    return tenantScope(this.tenantId);
  }

  get params(): Readonly<Record<ParametersOf<Path>, string>> {
    return this.request.params as Readonly<Record<ParametersOf<Path>, string>>;
  }

  /** The path's `id`, or the id of a new record. Retries with the same Idempotency-Key get the same new id. */
  get id(): string {
    return (this.request.params as { id?: string }).id ?? this.request.state.newId ?? '';
  }

  /**
   * The id of the record to create, for requests whose path contains the id of an existing record. It is the same for
   * all retries with the same Idempotency-Key.
   */
  get newId(): string {
    return this.request.state.newId ?? '';
  }

  get target(): Target {
    return { tenantId: this.tenantId, id: this.id };
  }

  get query(): OutputOf<D, 'query'> {
    return this.request.query as OutputOf<D, 'query'>;
  }

  get body(): OutputOf<D, 'body'> {
    return this.request.body as OutputOf<D, 'body'>;
  }

  /** The body before defaults and coercions are applied. */
  get received(): object {
    return this.request.state.received as object;
  }

  get idempotencyKey(): string | undefined {
    return this.request.state.idempotencyKey;
  }

  /** Whether the client prefers a media type to JSON. */
  prefers(type: string): boolean {
    return prefers(this.request.headers.accept, type);
  }

  /** The unverified bearer token, for public routes that accept one; empty if absent. */
  get bearerToken(): string {
    return /^bearer +(\S+) *$/i.exec(this.request.headers.authorization ?? '')?.[1] ?? '';
  }
}
