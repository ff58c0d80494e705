/**
 * The channel to one node: one connection of its own, verified by the name or address that the node is known by.
 */
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Channel, type ChannelCredentials, credentials } from '@grpc/grpc-js'
import type { Address, Node, Tls } from './address.ts'

/** @param certified the name in the node's certificate, where `node` is one of the addresses behind that name */
export function openChannel(address: Address, node: Node, certified?: string): Channel {
  const { keepAlive, tls } = address
  return new Channel(`${node.host}:${node.port}`, tls ? secure(tls) : credentials.createInsecure(), {
    'grpc.keepalive_time_ms': keepAlive.interval < 0 ? Number.MAX_VALUE : keepAlive.interval,
    'grpc.keepalive_timeout_ms': keepAlive.timeout < 0 ? Number.MAX_VALUE : keepAlive.timeout,
    // The largest event that the server can hold is 16 MiB.
    'grpc.max_receive_message_length': 17 * 1_048_576,
    // A new channel shares no connection with an old one, which may be stuck or waiting to try again.
    'grpc.use_local_subchannel_pool': 1,
    ...(tls && certified !== undefined && { 'grpc.ssl_target_name_override': certified }),
  })
}

/** Members of gRPC's connector that its types hide; `test/adapters/eventstoredb/tls.test.ts` fails without them. */
interface Connector {
  readonly connectionOptions: ConnectionOptions
}

/**
 * gRPC passes the host as the name that the server is asked for (SNI), and Node refuses an IP address there. Without a name
 * to ask for, Node verifies the certificate against the host, which is the address.
 */
function secure({ ca, key, cert }: Tls): ChannelCredentials {
  const made = credentials.createSsl(ca, key, cert)
  const create = made._createSecureConnector.bind(made)
  made._createSecureConnector = (...target) => {
    const connector = create(...target)
    const { connectionOptions } = connector as unknown as Connector
    if (isIP(connectionOptions.servername ?? '') !== 0) delete connectionOptions.servername
    return connector
  }
  return made
}
