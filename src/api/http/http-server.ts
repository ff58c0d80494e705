/**
 * The HTTP server around the app: TLS where it ends here, time limits that no slow client outlasts, and an end that lets
 * requests under way finish.
 */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext } from 'node:tls'
import { refuseMalformed } from './client-errors.ts'
import { inTurn } from './in-turn.ts'
import type { Log } from '../../ports/log.ts'
import { messageOf } from '../../domain/errors.ts'

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string
  readonly key: string
}

export interface HttpServerOptions {
  /** Undefined: plain HTTP. */
  readonly tls: CertificateFiles | undefined
  /** Of every answer, names and values in turn. */
  readonly headers: readonly string[]
  readonly log: Log
  /** Has the port that it listens on, to be named when it cannot be had. */
  readonly portSetting: 'PORT' | 'NOTIFICATION_PORT'
}

export interface ListenAt {
  readonly app: RequestListener
  readonly port: number
  readonly host: string
  /** Other threads are to listen on the same port, or do so already: the kernel gives each of them some connections. */
  readonly shared?: 'first' | 'also' | undefined
}

export interface HttpServer {
  /** @throws Error when the address cannot be had */
  listen(at: ListenAt): Promise<void>
  /** Serves a connection that came in elsewhere; the TLS has ended there. */
  serve(connection: Duplex): void
  /** Where it is reached from this machine; only after `listen`. */
  url(): string
  /** Takes no more connections, lets requests under way finish, and ends those that take too long. */
  drain(): Promise<void>
  /** Takes the certificate files as they are now; keeps what it had when they are of no use. Also done by itself. */
  renewCertificate(): void
}

const LIMITS = {
  /** For the head of a request, from its first byte or, on a new connection, from its beginning. */
  headersTimeout: 10_000,
  /** For all of a request. */
  requestTimeout: 60_000,
  /** How often the two above are looked after. */
  connectionsCheckingInterval: 1_000,
  /** Between requests; longer than load balancers keep theirs (60 s), or one would use a connection that just ended. */
  keepAliveTimeout: 65_000,
  requireHostHeader: false, // refused by `arrival.ts`, in the Error wrapper
}
const HANDSHAKE_MS = 10_000
const DRAIN_MS = 9_000
const CERTIFICATE_LOOK_MS = 60_000

/** @throws Error naming the setting when the certificate cannot be used */
export function httpServer({ tls, headers, log, portSetting }: HttpServerOptions): HttpServer {
  const secure = tls && {
    server: createTlsServer({
      ...LIMITS,
      ...readCertificate(tls),
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_MS,
    }),
    files: tls,
  }
  const server = secure?.server ?? createServer(LIMITS)
  server.on('clientError', refuseMalformed(headers))

  const renewCertificate = () => {
    if (!secure) return
    try {
      secure.server.setSecureContext({ ...readCertificate(secure.files), minVersion: 'TLSv1.2' })
      log.info({}, 'the certificate was read again')
    } catch (error) {
      log.error({ err: error }, 'the new certificate cannot be used; the old one is kept')
    }
  }
  const watched = tls ? [tls.certificate, tls.key] : []
  for (const path of watched)
    watchFile(path, { interval: CERTIFICATE_LOOK_MS, persistent: false }, renewCertificate)

  let url = ''
  return {
    async listen({ app, port: wanted, host, shared }) {
      // Where the port may be shared, the kernel does not say that another process has it, too.
      const port = shared === 'first' ? await freePort(wanted, host, portSetting) : wanted
      await new Promise<void>((resolve, reject) => {
        server.on('request', inTurn(app))
        server.on('checkExpectation', inTurn(app)) // refused there, in the Error wrapper
        const fail = (error: NodeJS.ErrnoException) =>
          reject(cannotListen(error, portSetting, `${urlHost(host)}:${port}`))
        server.once('error', fail)
        server.listen({ port, host, reusePort: shared !== undefined }, () => {
          server.off('error', fail)
          url = `${tls ? 'https' : 'http'}://${urlHost(host)}:${(server.address() as AddressInfo).port}`
          resolve()
        })
      })
    },
    serve: (connection) => void server.emit(secure ? 'secureConnection' : 'connection', connection),
    url: () => url,
    drain: () =>
      new Promise((resolve) => {
        for (const path of watched) unwatchFile(path, renewCertificate)
        // A connection that falls idle while its client keeps it open would hold up the end.
        const idle = setInterval(() => server.closeIdleConnections(), 50)
        const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
        server.close(() => {
          clearInterval(idle)
          clearTimeout(timer)
          resolve()
        })
        server.closeIdleConnections()
      }),
    renewCertificate,
  }
}

function readCertificate({ certificate, key }: CertificateFiles) {
  const read = (setting: string, path: string) => {
    try {
      return readFileSync(path)
    } catch (error) {
      throw new Error(`${setting}: ${messageOf(error)}`)
    }
  }
  const pair = { cert: read('TLS_CERT', certificate), key: read('TLS_KEY', key) }
  try {
    createSecureContext(pair)
  } catch (error) {
    throw new Error(
      `TLS_CERT and TLS_KEY: ${certificate} and ${key} are not a certificate and its key (${messageOf(error)})`,
    )
  }
  return pair
}

/** The port, or a free one for 0. @throws Error when another process listens there */
function freePort(port: number, host: string, portSetting: string): Promise<number> {
  const probe = createTcpServer()
  return new Promise((resolve, reject) => {
    probe.once('error', (error) => reject(cannotListen(error, portSetting, `${urlHost(host)}:${port}`)))
    probe.listen(port, host, () => {
      const { port: free } = probe.address() as AddressInfo
      probe.close(() => resolve(free))
    })
  })
}

/** In the words of the settings. */
function cannotListen({ code, message }: NodeJS.ErrnoException, portSetting: string, at: string): Error {
  if (code === 'ENOTSUP')
    return new Error(`WORKERS: must be 1 on this system, which shares no port between threads (${at})`)
  return new Error(
    code === 'EADDRINUSE'
      ? `${portSetting}: another process listens on ${at} already`
      : `HOST, ${portSetting}: cannot listen on ${at} (${message})`,
  )
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
