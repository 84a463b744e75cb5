import { EventStoreDBClient } from '@eventstore/db-client';
import type { IStreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Channel, Client, Metadata } from '@grpc/grpc-js';

/** Client members that are needed to make calls but are declared protected. */
export type ClientInternals = {
  readonly getGRPCClient: (service: StreamsClientClass, name: string) => Promise<StreamsStub>;
  readonly capabilities: Promise<{ readonly serverVersion?: string }>;
  readonly callArguments: (base: { requiresLeader: boolean }, options?: CallOptions) => [Metadata, CallOptions];
  getChannel: () => Promise<Channel>;
  handleError: (streams: StreamsStub, error: Error) => Promise<void>;
};

export type StreamsClientClass = typeof streamsService.StreamsClient;
export type StreamsStub = IStreamsClient & Client;
export const StreamsClient: StreamsClientClass = streamsService.StreamsClient;

export const internalsOf = (client: EventStoreDBClient): ClientInternals => client as unknown as ClientInternals;

const OPTIONS = new Set(
  [
    'tls',
    'tlsVerifyCert',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
    'connectionName',
    'defaultDeadline',
    'throwOnAppendFailure',
    'keepAliveInterval',
    'keepAliveTimeout',
    'nodePreference',
    'discoveryInterval',
    'gossipTimeout',
    'maxDiscoverAttempts',
  ].map(flat),
);

function flat(option: string): string {
  return option.toLowerCase().replace(/[_-]/g, '');
}

/** Returns the options in a connection string. Option names are in lower case, without separators. */
export function optionsOf(url: string): ReadonlyMap<string, string> {
  const pairs = (url.split('?')[1] ?? '').split('&').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [key = '', value = ''] = pair.split('=');
      return [flat(key), decodeURIComponent(value.trim())];
    }),
  );
}

/**
 * Creates a client for a connection string. KurrentDB's connection strings differ only in the scheme.
 * @throws Error that names the fault without revealing secrets. The client's own error contains the whole string,
 * including the password.
 */
export function newClient(url: string): EventStoreDBClient {
  try {
    for (const [option, value] of optionsOf(url)) {
      if (!OPTIONS.has(option)) throw new Error(`the option ${option} is unknown`);
      if (option === 'tlsverifycert' && value === 'false')
        throw new Error('tlsVerifyCert=false is not supported: name the certificate authority with tlsCAFile instead');
    }
    return EventStoreDBClient.connectionString(url.replace(/^kurrentdb(?=[:+])/, 'esdb'));
  } catch (error) {
    // A parse error contains the connection string in its message and in a property, so it must not become the cause.
    const reason =
      (error as Error).constructor.name === 'ParseError' ? 'it cannot be parsed' : (error as Error).message;
    throw new Error(`The connection string of EventStoreDB (EVENTSTORE_URL) is invalid: ${reason}`);
  }
}
