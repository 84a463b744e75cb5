import { EventStoreDBClient } from '@eventstore/db-client';
import type { IStreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';

/** What BatchAppend and Delete need of the client and its types call protected. */
export type ClientInternals = {
  readonly getGRPCClient: (service: StreamsClientClass, name: string) => Promise<IStreamsClient>;
  readonly capabilities: Promise<{ readonly serverVersion?: string }>;
  readonly callArguments: (base: { requiresLeader: boolean }, options?: CallOptions) => [Metadata, CallOptions];
  getChannel: () => Promise<Channel>;
  handleError: (streams: IStreamsClient, error: Error) => Promise<void>;
};

export type StreamsClientClass = typeof streamsService.StreamsClient;
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

/**
 * A client for a connection string.
 * @throws Error that names what is wrong and no secret: the client would print the whole string, password and all
 */
export function newClient(url: string): EventStoreDBClient {
  for (const pair of (url.split('?')[1] ?? '').split('&').filter((part) => part !== '')) {
    const [key = '', value = ''] = pair.split('=');
    if (!OPTIONS.has(flat(key)))
      throw new Error(`The connection string of EventStoreDB holds an unknown option: ${key}`);
    if (flat(key) === 'tlsverifycert' && value.trim() === 'false')
      throw new Error('The connection string of EventStoreDB asks for tlsVerifyCert=false: name a tlsCAFile instead');
  }
  try {
    return EventStoreDBClient.connectionString(url);
  } catch (error) {
    // A parse error tells the string itself, also as a property: it is no cause either.
    const reason =
      (error as Error).constructor.name === 'ParseError' ? 'it cannot be parsed' : (error as Error).message;
    throw new Error(`The connection string of EventStoreDB cannot be used: ${reason}`);
  }
}
