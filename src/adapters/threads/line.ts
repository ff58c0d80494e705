/**
 * A connection between two threads: a stream of bytes each way over a `MessagePort`, for what expects a socket. What one
 * side has sent and the other has not taken is bounded. A side that is destroyed, or whose thread ends, destroys the other.
 */
import { Duplex } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'

/** Whose connection it stands for. */
export interface Peer {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  /** It came by TLS. */
  readonly encrypted: boolean
}

/** Bytes that may be under way before the sender waits. */
const MOST_UNTAKEN = 262_144
/** What was taken is reported in pieces of this many bytes. */
const REPORTED = 65_536

/** Bytes; how many of them were taken (0: some of what was taken has gone on to where it goes); or the end. */
type Message = Uint8Array<ArrayBuffer> | number | null

type Callback = (error?: Error | null) => void

export class Line extends Duplex {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly encrypted: boolean
  readonly #port: MessagePort
  #untaken = 0
  #passedOn = 0
  #moved = 0
  /** The write that waits until the other side has taken more. */
  #held: { readonly bytes: number; readonly done: Callback } | undefined
  #toReport = 0
  /** Bytes that came while the reader of this side wanted no more. */
  #unread = 0

  constructor(port: MessagePort, peer?: Peer) {
    super({ allowHalfOpen: true })
    this.remoteAddress = peer?.remoteAddress
    this.remotePort = peer?.remotePort
    this.encrypted = peer?.encrypted ?? false
    this.#port = port
    port.on('message', (message: Message) => this.#receive(message))
    port.on('close', () => this.destroy())
  }

  /** As of a socket: what was written, taken or not; and one more each time that the other side says `moved`. */
  get bytesWritten(): number {
    return this.#passedOn + this.#moved + this.writableLength
  }

  /** For the other side, which sees no more than that a piece was taken: it is on its way, slow as that may be. */
  moved(): void {
    if (!this.destroyed) this.#port.postMessage(0 satisfies Message)
  }

  #receive(message: Message): void {
    if (this.destroyed) return
    if (message === null) this.push(null)
    else if (typeof message === 'number') this.#taken(message)
    else if (this.push(message)) this.#report(message.length)
    else this.#unread += message.length
  }

  #taken(bytes: number): void {
    if (bytes === 0) this.#moved++
    this.#untaken -= bytes
    if (this.#untaken > MOST_UNTAKEN || !this.#held) return
    const { bytes: held, done } = this.#held
    this.#held = undefined
    this.#passedOn += held
    done()
  }

  #report(bytes: number): void {
    this.#toReport += bytes
    if (this.#toReport < REPORTED) return
    this.#port.postMessage(this.#toReport satisfies Message)
    this.#toReport = 0
  }

  override _read(): void {
    const unread = this.#unread
    this.#unread = 0
    if (unread > 0) this.#report(unread)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Callback): void {
    // A buffer of its own: the chunk's may be shared, and would be copied as a whole.
    const bytes = new Uint8Array(chunk)
    this.#untaken += bytes.length
    const { length } = bytes
    this.#port.postMessage(bytes satisfies Message, [bytes.buffer])
    if (this.#untaken > MOST_UNTAKEN) this.#held = { bytes: length, done }
    else {
      this.#passedOn += length
      done()
    }
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Callback): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer' as BufferEncoding, done)
  }

  override _final(done: Callback): void {
    this.#port.postMessage(null satisfies Message)
    done()
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.#port.close()
    done(error)
  }

  // What HTTP asks of sockets and a line has no use for: the connection that it stands for has its own.
  setTimeout(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}
