/** A connection to a broker, at an address that was found allowed: a name that resolves differently the next moment leads nowhere else. */
import { lookup as systemLookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

export interface MqttSourceOptions {
  /** Whether a connection may be made to this address; `secure`: by TLS. */
  readonly mayConnect: (address: string, secure: boolean) => boolean
  /** Resolves names; the system's way unless said otherwise. */
  readonly lookup?: (name: string) => Promise<readonly { readonly address: string }[]>
  /** Certificates to trust in place of those of Node. */
  readonly ca?: string
}

const PATIENCE_MS = 30_000
const PORTS = { 'mqtt:': 1883, 'mqtts:': 8883 }

/** Undefined: it was aborted meanwhile. @throws Error saying why there is none */
export async function connected(
  { mayConnect, lookup = addressesOf, ca }: MqttSourceOptions,
  address: string,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const url = new URL(address)
  const secure = url.protocol === 'mqtts:'
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const found = isIP(name) === 0 ? await lookup(name) : [{ address: name }]
  const host = found.find((one) => mayConnect(one.address, secure))?.address
  if (host === undefined) throw new Error(`${name} leads to no address that may be connected to`)
  if (signal.aborted) return undefined
  const port = url.port === '' ? PORTS[secure ? 'mqtts:' : 'mqtt:'] : Number(url.port)
  const named = isIP(name) === 0 ? { servername: name } : {}
  const socket = secure
    ? connectSecurely({ host, port, ...named, ...(ca !== undefined && { ca }) })
    : connect({ host, port })
  try {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    await once(socket, secure ? 'secureConnect' : 'connect', { signal: ended })
    return socket.setNoDelay(true)
  } catch (error) {
    socket.destroy()
    if (signal.aborted) return undefined
    const isLate = (error as Error).name === 'AbortError'
    throw isLate ? new Error(`no connection in ${PATIENCE_MS / 1_000} s`, { cause: error }) : error
  }
}

const addressesOf = (name: string) => systemLookup(name, { all: true })
