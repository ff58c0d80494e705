/** A small MQTT 5 broker on loopback: sessions that outlive connections, deliveries that are repeated until they are acknowledged. */
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { generate, parser, type Packet } from 'mqtt-packet'

export interface TestBroker {
  readonly url: string
  /** What clients have sent. */
  readonly heard: readonly Packet[]
  /** Names of the sessions that are kept. */
  sessions(): readonly string[]
  /** Closes all connections. */
  cut(): void
  stop(): Promise<void>
}

interface Session {
  topics: readonly string[]
  socket: Socket | undefined
  /** By packet. */
  readonly unacknowledged: Map<number, { readonly topic: string; readonly payload: Buffer }>
  next: number
}

const VERSION = { protocolVersion: 5 } as const

/** @param password that it wants, if any */
export async function mqttBroker(password?: string): Promise<TestBroker> {
  const sessions = new Map<string, Session>()
  const heard: Packet[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    const reading = parser()
    let name = ''
    let isKept = true
    const say = (packet: Packet, to = socket) => void to.write(generate(packet, VERSION))
    const deliver = (session: Session, packet: number, dup: boolean) => {
      const message = session.unacknowledged.get(packet)!
      if (session.socket)
        say({ cmd: 'publish', qos: 1, dup, retain: false, messageId: packet, ...message }, session.socket)
    }
    const connect = (packet: Extract<Packet, { cmd: 'connect' }>) => {
      if (password !== undefined && packet.password?.toString() !== password) {
        say({ cmd: 'connack', sessionPresent: false, reasonCode: 0x86 })
        return void socket.end()
      }
      name = packet.clientId
      isKept = (packet.properties?.sessionExpiryInterval ?? 0) > 0
      const before = sessions.get(name)
      if (before?.socket) {
        say({ cmd: 'disconnect', reasonCode: 0x8e }, before.socket)
        before.socket.end()
      }
      const session: Session =
        before && packet.clean !== true ? before : { topics: [], socket, unacknowledged: new Map(), next: 1 }
      session.socket = socket
      sessions.set(name, session)
      say({ cmd: 'connack', sessionPresent: before !== undefined, reasonCode: 0 })
      for (const id of session.unacknowledged.keys()) deliver(session, id, true)
    }
    const leave = () => {
      const session = sessions.get(name)
      if (session?.socket !== socket) return
      session.socket = undefined
      if (!isKept) sessions.delete(name)
    }
    reading.on('packet', (packet) => {
      heard.push(packet)
      if (packet.cmd === 'connect') connect(packet)
      else if (packet.cmd === 'subscribe') {
        sessions.get(name)!.topics = packet.subscriptions.map(({ topic }) => topic)
        const granted: number[] = packet.subscriptions.map(({ topic }) => (topic === 'secret/#' ? 0x87 : 1))
        say({ cmd: 'suback', messageId: packet.messageId!, granted })
      } else if (packet.cmd === 'puback') sessions.get(name)?.unacknowledged.delete(packet.messageId!)
      else if (packet.cmd === 'publish') {
        const { topic } = packet
        const payload = Buffer.from(packet.payload)
        for (const session of sessions.values())
          if (session.topics.some((filter) => topic.startsWith(filter.replace(/#$/, '')))) {
            const id = session.next++
            session.unacknowledged.set(id, { topic, payload })
            deliver(session, id, false)
          }
        say({ cmd: 'puback', messageId: packet.messageId!, reasonCode: 0 })
      } else if (packet.cmd === 'pingreq') say({ cmd: 'pingresp' })
      else if (packet.cmd === 'disconnect') leave()
    })
    socket.on('data', (bytes) => reading.parse(bytes as Buffer))
    socket.on('close', leave)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    sessions: () => [...sessions.keys()],
    cut,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      cut()
      await closed
    },
  }
}
