/**
 * What the peer is built on: gRPC and the messages of EventStoreDB, both as @eventstore/db-client brings them along, so
 * that peer and client speak the same version of the protocol.
 */
import { createRequire } from 'node:module'
import type * as FeaturesService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type * as Features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import type * as GossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import type * as Gossip from '@eventstore/db-client/generated/gossip_pb.js'
import type * as Shared from '@eventstore/db-client/generated/shared_pb.js'
import type * as StatusMessages from '@eventstore/db-client/generated/status_pb.js'
import type * as StreamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js'
import type * as Grpc from '@grpc/grpc-js'
import type * as AnyMessages from 'google-protobuf/google/protobuf/any_pb.js'
import type * as EmptyMessages from 'google-protobuf/google/protobuf/empty_pb.js'

const fromHere = createRequire(import.meta.url)
const fromClient = createRequire(fromHere.resolve('@eventstore/db-client'))

export const grpc = fromClient('@grpc/grpc-js') as typeof Grpc
export const shared = fromClient('../generated/shared_pb') as typeof Shared
export const status = fromClient('../generated/status_pb') as typeof StatusMessages
export const streams = fromClient('../generated/streams_pb') as typeof Streams
export const { StreamsService: streamsService, StreamsClient: GrpcStreamsClient } = fromClient(
  '../generated/streams_grpc_pb',
) as typeof StreamsService
export const features = fromClient('../generated/serverfeatures_pb') as typeof Features
export const featuresService = (fromClient('../generated/serverfeatures_grpc_pb') as typeof FeaturesService)
  .ServerFeaturesService
export const gossip = fromClient('../generated/gossip_pb') as typeof Gossip
export const gossipService = (fromClient('../generated/gossip_grpc_pb') as typeof GossipService).GossipService
/** Messages of Google's own that the protocol is made of, too. */
export const wellKnown = {
  ...(fromClient('google-protobuf/google/protobuf/any_pb.js') as typeof AnyMessages),
  ...(fromClient('google-protobuf/google/protobuf/empty_pb.js') as typeof EmptyMessages),
}
