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
import { featuresService, grpc, streamsService } from './generated.ts'
import { readCall } from './read-call.ts'

export interface PeerSettings {
  /** Where to keep the events; in memory unless given. */
  readonly file?: string
  /** Any free one unless given. */
  readonly port?: number
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
  /** Breaks all connections and stops listening. */
  stop(): Promise<void>
}

export async function startPeer({
  file = ':memory:',
  port = 0,
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
  server.addService(featuresService, { getSupportedMethods: featuresCall() })
  const connections = server.createConnectionInjector(grpc.ServerCredentials.createInsecure())
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    connections.injectConnection(socket)
  })
  await once(listener.listen(port, '127.0.0.1'), 'listening')
  const { port: taken } = listener.address() as AddressInfo
  return {
    url: `esdb://127.0.0.1:${taken}?tls=false`,
    port: taken,
    faults,
    observed,
    writeSystemEvents: async (count) => {
      const stream = `$statistics-${crypto.randomUUID()}`
      const events = Array.from({ length: count }, () => systemEvent('$statistics-collected'))
      await log.append({ stream, expected: -1, events })
    },
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
