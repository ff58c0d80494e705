/**
 * One connection to the broker, from its handshake until it is lost.
 *
 * A connection is never mended: whatever goes wrong with it or with one of its channels ends it, `lost` resolves, and
 * `keep-connected.ts` makes the next. No error event is without a listener, and no wait without a bound.
 */
import { readFileSync } from 'node:fs'
import { connect, credentials, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib'
import { within } from './within.ts'
import { messageOf } from '../../domain/errors.ts'

export interface Connection {
  /** Channels whose end is the connection's end. */
  channel(): Promise<Channel>
  confirmChannel(): Promise<ConfirmChannel>
  /** For what the broker may refuse by closing the channel: the connection goes on. */
  withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T>
  /** Whether the broker has said that it takes no messages for now. */
  blocked(): boolean
  /** Resolves, with the reason, when the connection is gone. */
  readonly lost: Promise<Error>
  /** Ends it without a word to the broker, who may not be listening. */
  cut(reason: string): void
  /** Takes leave, so that what was sent before has been taken; cuts it when that takes too long. */
  close(): Promise<void>
}

export interface ConnectionOptions {
  /**
   * `amqp://` or `amqps://`, with user, password, host, port and vhost. Of RabbitMQ's query parameters: `heartbeat`
   * (seconds), and for TLS the files `cacertfile`, `certfile`, `keyfile`.
   */
  readonly url: string
  /** What the broker shows for it. */
  readonly name: string
  readonly timeoutMs: number
  /** Aborted when the connection is no longer wanted, before there is one. */
  readonly giveUp: AbortSignal
  /** The broker takes no messages for now. */
  readonly onBlocked: (reason: string) => void
}

/** A peer that says nothing for two to three times as long is given up. */
const HEARTBEAT_SECONDS = 10
const FAREWELL_MS = 2_000

/** @throws Error when there is no connection within `timeoutMs` */
export async function openConnection({
  url,
  name,
  timeoutMs,
  giveUp,
  onBlocked,
}: ConnectionOptions): Promise<Connection> {
  const socket = new AbortController()
  const { address, user, files } = parseUrl(url)
  const options = {
    ...files,
    ...(user && { credentials: user }),
    noDelay: true,
    clientProperties: { connection_name: name },
    signal: socket.signal, // of the socket beneath: the one way to be rid of a connection that does not answer
  }
  const abort = () => socket.abort()
  giveUp.addEventListener('abort', abort)
  let model: ChannelModel
  try {
    model = await within(timeoutMs, 'connecting to RabbitMQ', connect(address, options))
  } catch (error) {
    abort()
    throw error
  } finally {
    giveUp.removeEventListener('abort', abort)
  }

  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>()
  const cut = (reason: string) => {
    lose(new Error(reason)) // before the socket's own, which only says that it was aborted
    abort()
  }
  let blocked = false
  model.on('error', lose)
  model.on('close', (error) => lose(error ?? new Error('the connection was closed')))
  model.on('blocked', (reason) => {
    blocked = true
    onBlocked(reason)
  })
  model.on('unblocked', () => (blocked = false))

  const channels: Channel[] = []
  let leaving = false
  const tied = async <C extends Channel>(opening: Promise<C>): Promise<C> => {
    const channel = await within(timeoutMs, 'opening a channel', opening)
    channel.on('error', (error) => cut(messageOf(error)))
    channel.on('close', () => leaving || cut('a channel was closed'))
    channel.on('handler-error', (error) => cut(`a listener failed: ${messageOf(error)}`))
    channels.push(channel)
    return channel
  }
  return {
    channel: () => tied(model.createChannel()),
    confirmChannel: () => tied(model.createConfirmChannel()),
    async withChannel(work) {
      const channel = await within(timeoutMs, 'opening a channel', model.createChannel())
      channel.on('error', () => {}) // the call that it answers rejects with it
      const result = await work(channel)
      await within(timeoutMs, 'closing a channel', channel.close())
      return result
    },
    blocked: () => blocked,
    lost,
    cut,
    async close() {
      leaving = true
      try {
        // Channels first: the connection's own farewell would overtake what they still have to send.
        const farewell = Promise.all(channels.map((channel) => channel.close())).then(() => model.close())
        await within(FAREWELL_MS, 'closing the connection', farewell)
      } catch {
        // Lost already, or silent: there is nobody to take leave of.
      }
      cut('the connection was closed')
    },
  }
}

/** @throws Error naming what of the URL cannot be used */
export function parseUrl(url: string): {
  readonly address: string
  /** Undefined: the broker's guest. */
  readonly user: ReturnType<typeof credentials.plain> | undefined
  readonly files: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }
} {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^amqps?:$/.test(parsed.protocol) || parsed.hostname === '')
    throw new Error('the URL of RabbitMQ must be amqp://… or amqps://…, with a host')
  const query = parsed.searchParams
  const file = (parameter: string) => {
    const path = query.get(parameter)
    return path === null ? undefined : readFileSync(path)
  }
  const [ca, cert, key] = [file('cacertfile'), file('certfile'), file('keyfile')]
  if (!query.has('heartbeat')) query.set('heartbeat', `${HEARTBEAT_SECONDS}`)
  const { username, password } = parsed
  return {
    address: parsed.href,
    // amqplib itself takes only ASCII out of a URL.
    user:
      username === '' && password === ''
        ? undefined
        : credentials.plain(decodeURIComponent(username), decodeURIComponent(password)),
    files: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  }
}
