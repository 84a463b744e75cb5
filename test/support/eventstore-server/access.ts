import type { Metadata } from '@grpc/grpc-js';

export type Right = 'read' | 'read $all' | 'write';

/**
 * The only user on a server with TLS, and that user's rights. A test may change the password and the rights at any
 * time.
 */
export class Access {
  readonly forbidden = new Set<Right>();

  constructor(
    readonly user: string,
    public password: string,
  ) {}

  knows(metadata: Metadata): boolean {
    const expected = `Basic ${Buffer.from(`${this.user}:${this.password}`).toString('base64')}`;
    return metadata.get('authorization')[0] === expected;
  }

  forbids(right: Right): boolean {
    return this.forbidden.has(right);
  }
}
