/** One connection of a session: what it begins with, messages and their acknowledgements, signs of life, its end. */
import type { Socket } from 'node:net'
import { generate, parser, type Packet } from 'mqtt-packet'
import {
  TakenOver,
  type PublishedMessage,
  type Subscription,
  type Taking,
} from '../../ports/sources/message-source.ts'
import { REFUSED, TAKEN_OVER, wordsFor } from './words.ts'

export interface SessionOptions extends Taking {
  readonly socket: Socket
  readonly subscription: Subscription
  /** The broker keeps the session after the connection has ended. */
  readonly isKept: boolean
  readonly signal: AbortSignal
  readonly onConnected?: () => void
}

const VERSION = { protocolVersion: 5 } as const
const KEEP_ALIVE_S = 60
/** How long the broker keeps messages for a client that is away. */
const KEPT_S = 30 * 86_400
/** The most that is under way without an acknowledgement, and that is taken at once. */
const MOST_WAITING = 500
const LARGEST_BYTES = 1_048_576 + 65_536

/** Resolves when it is aborted. @throws TakenOver, Error */
export async function session(options: SessionOptions): Promise<void> {
  const { socket, signal } = options
  const ended = Promise.withResolvers<void>()
  const fail = (reason: string | Error) =>
    ended.reject(typeof reason === 'string' ? new Error(reason) : reason)
  const send = (packet: Packet) => void socket.write(generate(packet, VERSION))
  const queue = taking(options, send, fail)
  const reading = parser(VERSION)
  reading.on('packet', (packet) => deal(packet, options, { send, fail, add: queue.add }))
  reading.on('error', (error: Error) => fail(`what the broker sends cannot be read: ${error.message}`))
  let heardAt = performance.now()
  let unread = 0
  reading.on('packet', () => (unread = 0))
  socket.on('data', (bytes) => {
    heardAt = performance.now()
    unread += bytes.length
    reading.parse(bytes as Buffer)
    if (unread > 2 * LARGEST_BYTES) fail('the broker sends more than it was asked to')
  })
  socket.on('error', (error) => fail(error))
  socket.on('close', () => fail('the broker has closed the connection'))
  const life = setInterval(() => {
    if (performance.now() - heardAt > KEEP_ALIVE_S * 1_500) fail('the broker has said nothing for too long')
    else send({ cmd: 'pingreq' })
  }, KEEP_ALIVE_S * 500).unref()
  const leave = () => {
    socket.end(generate({ cmd: 'disconnect', reasonCode: 0 }, VERSION))
    ended.resolve()
  }
  signal.addEventListener('abort', leave)
  send(beginning(options))
  try {
    await ended.promise
  } finally {
    signal.removeEventListener('abort', leave)
    clearInterval(life)
    await queue.stop()
  }
}

function beginning({ subscription: { clientId, user, password }, isKept }: SessionOptions): Packet {
  return {
    cmd: 'connect',
    protocolId: 'MQTT',
    ...VERSION,
    clean: !isKept,
    clientId,
    keepalive: KEEP_ALIVE_S,
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password: Buffer.from(password) }),
    properties: {
      sessionExpiryInterval: isKept ? KEPT_S : 0,
      receiveMaximum: MOST_WAITING,
      maximumPacketSize: LARGEST_BYTES,
    },
  }
}

interface Dealing {
  readonly send: (packet: Packet) => void
  readonly fail: (reason: string | Error) => void
  readonly add: (message: Waiting) => void
}

function deal(
  packet: Packet,
  { subscription, subscribed, onConnected }: SessionOptions,
  { send, fail, add }: Dealing,
): void {
  if (packet.cmd === 'connack') {
    const code = packet.reasonCode ?? packet.returnCode ?? 0
    if (code !== 0) return fail(`the broker refuses the connection: ${wordsFor(code)}`)
    if (onConnected) return onConnected()
    // What is retained comes once, with the first subscription.
    const subscriptions = subscription.topics.map((topic) => ({ topic, qos: 1, rh: 1 }) as const)
    send({ cmd: 'subscribe', messageId: 1, subscriptions })
  } else if (packet.cmd === 'suback') {
    const refused = (packet.granted as readonly number[]).findIndex((code) => code >= REFUSED)
    const words = wordsFor(Number(packet.granted[refused]))
    if (refused >= 0) fail(`the broker refuses ${subscription.topics[refused]}: ${words}`)
    else subscribed()
  } else if (packet.cmd === 'publish') {
    const { topic, payload, messageId, dup } = packet
    add({
      message: {
        topic,
        payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
        delivery: messageId === undefined ? undefined : String(messageId),
        isRepeat: dup,
      },
      acknowledge: messageId,
    })
  } else if (packet.cmd === 'disconnect') {
    const code = packet.reasonCode ?? 0
    if (code === TAKEN_OVER) fail(new TakenOver('another process has connected by this name'))
    else fail(`the broker ends the connection: ${wordsFor(code)}`)
  }
}

interface Waiting {
  readonly message: PublishedMessage
  readonly acknowledge: number | undefined
}

/** Whatever has come by the time that the last ones are taken is taken together. */
function taking(
  { socket, take }: Pick<SessionOptions, 'socket' | 'take'>,
  send: (packet: Packet) => void,
  fail: (reason: Error) => void,
) {
  const waiting: Waiting[] = []
  let working: Promise<void> | undefined
  let isStopped = false
  const work = async () => {
    while (waiting.length > 0 && !isStopped) {
      const some = waiting.splice(0, MOST_WAITING)
      await take(some.map(({ message }) => message))
      if (isStopped) return
      for (const { acknowledge } of some)
        if (acknowledge !== undefined) send({ cmd: 'puback', messageId: acknowledge, reasonCode: 0 })
      if (waiting.length < MOST_WAITING) socket.resume()
    }
  }
  return {
    add(one: Waiting) {
      waiting.push(one)
      // Messages that need no acknowledgement are not held back by the protocol.
      if (waiting.length >= MOST_WAITING) socket.pause()
      working ??= work()
        .catch(fail)
        .finally(() => (working = undefined))
    },
    async stop() {
      isStopped = true
      await working
    },
  }
}
