import { createRequire } from 'node:module';

// The protocol definitions that the client itself uses: CommonJS modules whose named exports Node.js cannot detect.
const load = createRequire(import.meta.url);

export const streams = load(
  '@eventstore/db-client/generated/streams_pb.js',
) as typeof import('@eventstore/db-client/generated/streams_pb.js');

export const shared = load(
  '@eventstore/db-client/generated/shared_pb.js',
) as typeof import('@eventstore/db-client/generated/shared_pb.js');

export const rpc = load(
  '@eventstore/db-client/generated/status_pb.js',
) as typeof import('@eventstore/db-client/generated/status_pb.js');

export const { Code } = load(
  '@eventstore/db-client/generated/code_pb.js',
) as typeof import('@eventstore/db-client/generated/code_pb.js');

export const gossip = load(
  '@eventstore/db-client/generated/gossip_pb.js',
) as typeof import('@eventstore/db-client/generated/gossip_pb.js');

export const features = load(
  '@eventstore/db-client/generated/serverfeatures_pb.js',
) as typeof import('@eventstore/db-client/generated/serverfeatures_pb.js');

export const { StreamsClient, StreamsService } = load(
  '@eventstore/db-client/generated/streams_grpc_pb.js',
) as typeof import('@eventstore/db-client/generated/streams_grpc_pb.js');

export const { GossipService } = load(
  '@eventstore/db-client/generated/gossip_grpc_pb.js',
) as typeof import('@eventstore/db-client/generated/gossip_grpc_pb.js');

export const { ServerFeaturesClient, ServerFeaturesService } = load(
  '@eventstore/db-client/generated/serverfeatures_grpc_pb.js',
) as typeof import('@eventstore/db-client/generated/serverfeatures_grpc_pb.js');

// The client may have its own copy of google-protobuf, and its messages work only with that copy.
const besideClient = createRequire(load.resolve('@eventstore/db-client/package.json'));

export const { Any } = besideClient(
  'google-protobuf/google/protobuf/any_pb.js',
) as typeof import('google-protobuf/google/protobuf/any_pb.js');

export const google = besideClient(
  'google-protobuf/google/protobuf/empty_pb.js',
) as typeof import('google-protobuf/google/protobuf/empty_pb.js');
