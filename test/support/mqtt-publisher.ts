/** Publishes to a broker as devices do: each message until it is acknowledged. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { generate, parser } from 'mqtt-packet'

const VERSION = { protocolVersion: 5 } as const
const MOST_UNDER_WAY = 20

/** Resolves when the broker has acknowledged all. */
export async function publish(
  url: string,
  messages: readonly { readonly topic: string; readonly payload: string }[],
  password?: string,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const reading = parser(VERSION)
  const done = Promise.withResolvers<void>()
  let sent = 0
  let acknowledged = 0
  const more = () => {
    while (sent < messages.length && sent - acknowledged < MOST_UNDER_WAY) {
      const messageId = sent + 1
      const { topic, payload } = messages[sent++]!
      const packet = { cmd: 'publish', qos: 1, dup: false, retain: false, messageId, topic, payload } as const
      socket.write(generate(packet, VERSION))
    }
    if (acknowledged === messages.length) done.resolve()
  }
  reading.on('packet', (packet) => {
    if (packet.cmd === 'puback') acknowledged++
    if (packet.cmd === 'connack' || packet.cmd === 'puback') more()
  })
  socket.on('data', (bytes) => reading.parse(bytes as Buffer))
  socket.on('error', done.reject)
  await once(socket, 'connect')
  const clientId = `publisher-${Math.random()}`
  const given = password === undefined ? {} : { username: 'devices', password: Buffer.from(password) }
  const connecting = { cmd: 'connect', protocolId: 'MQTT', ...VERSION, clean: true, clientId } as const
  socket.write(generate({ ...connecting, keepalive: 60, ...given }, VERSION))
  await done.promise
  socket.end(generate({ cmd: 'disconnect', reasonCode: 0 }, VERSION))
}
