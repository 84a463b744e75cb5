import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../platform/client-network.js';
import { DomainError } from '../platform/domain-error.js';
import type { Authenticator, PartnerPrincipal, RateLimiter, RateStatus } from '../platform/principal.js';
import type { Clock } from '../ports/time.js';

/** Requests per window of an address that shows no valid key. */
export const ADDRESS_RATE_LIMIT = 60;

const KEY = /^[\x21-\x7e]{1,512}$/;

const invalidKey = (): DomainError =>
  new DomainError('unauthenticated', 'INVALID_KEY', 'A valid integration key is needed in X-Integration-Key.');

/** Lets partners in by their key, counts every request, and says so in the headers of every answer. */
export class PartnerGate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly rateLimiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError unauthenticated INVALID_KEY, limited RATE_LIMITED, unavailable */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<PartnerPrincipal> {
    let partner: PartnerPrincipal;
    try {
      partner = await this.authenticate(request.headers['x-integration-key']);
    } catch (error) {
      await this.countStranger(request, reply, error);
      throw error;
    }
    // Also for the log line of one that is refused for its rate.
    request.state.principal = partner;
    await this.count(reply, 'key', `partner-key:${partner.keyId}`, partner.rateLimit);
    return partner;
  }

  /** Who shows no valid key counts by its address. A key that cannot be checked now is not held against its owner. */
  private async countStranger(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<void> {
    const bucket = addressBucket(request.ip);
    if (error instanceof DomainError && error.kind === 'unauthenticated')
      await this.count(reply, 'address', bucket, ADDRESS_RATE_LIMIT);
    else await this.tell(reply, 'address', `unchecked:${bucket}`, ADDRESS_RATE_LIMIT);
  }

  private authenticate(header: string | string[] | undefined): Promise<PartnerPrincipal> {
    if (typeof header !== 'string' || !KEY.test(header)) return Promise.reject(invalidKey());
    return this.authenticator.partner(header);
  }

  private async count(reply: FastifyReply, policy: string, bucket: string, limit: number): Promise<void> {
    const { allowed, waitMs } = await this.tell(reply, policy, bucket, limit);
    if (allowed) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new DomainError('limited', 'RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`, {
      retryAfterSeconds: seconds,
    });
  }

  /** Counts the request and shows the count, whatever follows from it. */
  private async tell(reply: FastifyReply, policy: string, bucket: string, limit: number) {
    const status = await this.rateLimiter.hit(bucket, limit);
    const waitMs = Math.max(0, status.resetAtMs - this.clock.nowMs());
    reply.headers(rateHeaders(policy, status, Math.ceil(waitMs / 1000)));
    return { allowed: status.allowed, waitMs };
  }
}

/** The specification's headers, and the fields of draft-ietf-httpapi-ratelimit-headers-10 beside them. */
function rateHeaders(policy: string, status: RateStatus, resetInSeconds: number): Record<string, string> {
  const { limit, windowSeconds, resetAtMs } = status;
  const remaining = status.allowed ? status.remaining : 0;
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetAtMs / 1000)),
    'x-ratelimit-window': `${windowSeconds}s`,
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetInSeconds}`,
  };
}

export const addressBucket = (ip: string): string => `partner-address:${clientNetwork(ip)}`;
