/** A connection to an SFTP server whose key is known. Nothing is sent to a server with another key, no password above all. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Client, type ClientErrorExtensions, type ConnectConfig, type SFTPWrapper } from 'ssh2'
import { Unavailable } from '../../domain/errors.ts'
import { HostKeyRefused } from '../../ports/sources/host-key-refused.ts'
import { inTime } from './in-time.ts'

export interface SftpServer {
  /** The address to connect to, which was checked: a name might lead elsewhere by now. */
  readonly address: string
  readonly port: number
  readonly user: string
  readonly password?: string | undefined
  readonly privateKey?: string | undefined
  readonly passphrase?: string | undefined
  /** `SHA256:…`; undefined: none is trusted, and the connection ends when the server has shown its own. */
  readonly hostKey?: string | undefined
}

export interface SftpConnection {
  readonly sftp: SFTPWrapper
  /** Rejects when the connection is over. */
  readonly ended: Promise<never>
  close(): Promise<void>
}

const CONNECT_MS = 20_000

/** @throws HostKeyRefused; Unavailable for all else */
export async function connectSftp(server: SftpServer): Promise<SftpConnection> {
  const { address, port } = server
  const socket = connect({ host: address, port, timeout: CONNECT_MS })
  // Each request is a packet of its own that waits for its answer: the system must not wait for more to send.
  socket.setNoDelay(true)
  socket.once('timeout', () => socket.destroy(new Error('the server does not answer')))
  const client = new Client()
  const ended = new Promise<never>((_, reject) => {
    client.once('close', () => reject(new Unavailable('the server has closed the connection')))
  })
  ended.catch(() => {})
  const fail = (error: unknown): never => {
    client.destroy()
    socket.destroy()
    throw error instanceof Unavailable ? error : new Unavailable(`${address}:${port}: ${reasonOf(error)}`)
  }
  try {
    await inTime(once(socket, 'connect'), CONNECT_MS, 'the server does not answer')
    socket.setTimeout(0)
    const sftp = await inTime(
      opened(client, { ...loginOf(server), sock: socket }, server.hostKey),
      CONNECT_MS,
      'the server does not let us in',
    )
    return {
      sftp,
      ended,
      async close() {
        client.end()
        socket.destroy()
      },
    }
  } catch (error) {
    return fail(error)
  }
}

function loginOf({ user, password, privateKey, passphrase }: SftpServer): ConnectConfig {
  return {
    username: user,
    ...(password !== undefined && { password }),
    ...(privateKey !== undefined && { privateKey }),
    ...(passphrase !== undefined && { passphrase }),
    readyTimeout: CONNECT_MS,
    keepaliveInterval: 15_000,
    keepaliveCountMax: 3,
  }
}

function opened(client: Client, config: ConnectConfig, trusted: string | undefined): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    let presented: string | undefined
    const hostVerifier = (key: Buffer): boolean => {
      presented = `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`
      return presented === trusted
    }
    const refused = () => presented !== undefined && presented !== trusted
    client.on('error', (error) => reject(refused() ? new HostKeyRefused(presented!, trusted) : error))
    client.once('close', () => reject(new Error('the server has closed the connection')))
    client.once('ready', () => client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp))))
    try {
      client.connect({ ...config, hostVerifier })
    } catch (error) {
      // A private key that cannot be read.
      reject(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

function reasonOf(error: unknown): string {
  const { level, message } = error as Error & ClientErrorExtensions
  if (level === 'client-authentication') return 'the server refuses the user name, password or key'
  return message
}
