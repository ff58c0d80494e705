/**
 * A server for tests that speaks the protocol of EventStoreDB on loopback, as far as the adapter uses it, and answers
 * as the real one was seen to. It is a peer, not a judge: the adapter's contract runs against a real server too.
 *
 * The sockets are its own, so that connections can be broken at a chosen moment.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { batchAppendCall } from './batch-append-call.ts'
import { eventLog, systemEvent } from './event-log.ts'
import { faultBoard, type Faults, type Observed } from './faults.ts'
import { featuresCall } from './features-call.ts'
import { featuresService, gossipService, grpc, streamsService } from './generated.ts'
import { gossipCall } from './gossip-call.ts'
import { readCall } from './read-call.ts'

export interface PeerSettings {
  /** Where to keep the events; in memory unless given. */
  readonly file?: string
  /** Any free one unless given. */
  readonly port?: number
  /** Speaks TLS with this certificate, in PEM. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
  /** See `ReadSources`. */
  readonly checkpointOnCatchUp?: boolean
}

export interface Peer {
  /** The connection string. */
  readonly url: string
  readonly port: number
  readonly faults: Faults
  readonly observed: () => Observed
  /** Appends events that the server writes for itself. */
  writeSystemEvents(count: number): Promise<void>
  /** Takes the first events of a stream away, as `$maxCount` and `$tb` do for its readers. */
  cutStream(stream: string, beforeRevision: number): void
  /** Breaks all connections and stops listening. */
  stop(): Promise<void>
}

export async function startPeer({
  file = ':memory:',
  port = 0,
  tls,
  checkpointOnCatchUp = false,
}: PeerSettings = {}): Promise<Peer> {
  const sockets = new Set<Socket>()
  const { faults, switches, observed } = faultBoard({ sockets })
  const log = eventLog(file)
  const server = new grpc.Server()
  server.addService(streamsService, {
    batchAppend: batchAppendCall({ log, switches }),
    read: readCall({ log, switches, checkpointOnCatchUp }),
  })
  let taken = 0
  server.addService(gossipService, { read: gossipCall(switches, () => taken) })
  server.addService(featuresService, { getSupportedMethods: featuresCall() })
  const connections = server.createConnectionInjector(
    tls
      ? grpc.ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }])
      : grpc.ServerCredentials.createInsecure(),
  )
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    connections.injectConnection(socket)
  })
  await once(listener.listen(port, '127.0.0.1'), 'listening')
  taken = (listener.address() as AddressInfo).port
  return {
    url: `esdb://127.0.0.1:${taken}?tls=${tls !== undefined}`,
    port: taken,
    faults,
    observed,
    writeSystemEvents: async (count) => {
      const stream = `$statistics-${crypto.randomUUID()}`
      const events = Array.from({ length: count }, () => systemEvent('$statistics-collected'))
      await log.append({ stream, expected: -1, events })
    },
    cutStream: log.cut,
    stop: async () => {
      faults.speak()
      faults.breakConnections()
      server.forceShutdown()
      listener.close()
      await once(listener, 'close')
      log.close()
    },
  }
}
