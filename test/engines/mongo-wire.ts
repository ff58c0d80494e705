/**
 * A way to a MongoDB that understands its wire protocol (OP_MSG), so that a test can answer single commands in the
 * server's place, change its answers, or break the connection when a command arrives. Without a server it answers all.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { BSON, type Document } from 'mongodb'

export interface Command extends Document {
  /** The first name of the body: `insert`, `find`, … */
  readonly $name: string
}

export interface MongoWireOptions {
  /** Where to pass on what is not answered here. */
  readonly to?: { readonly port: number }
  /** An answer in the server's place; `reset` breaks the connection; undefined passes the command on. */
  readonly onCommand?: (command: Command) => Document | 'reset' | undefined
  /** Changes what the server is asked. */
  readonly onRequest?: (command: Command) => Command
  /** Changes what the server answers to what it was asked at first. */
  readonly onReply?: (command: Command, reply: Document) => Document
}

export interface MongoWire {
  readonly port: number
  stop(): Promise<void>
}

const OP_QUERY = 2004
const OP_MSG = 2013

export async function mongoWire({
  to,
  onCommand = () => undefined,
  onRequest = (command) => command,
  onReply = (_, reply) => reply,
}: MongoWireOptions): Promise<MongoWire> {
  const sockets = new Set<Socket>()
  const listener = createServer((near) => {
    sockets.add(near)
    const far = to && connect({ port: to.port, host: '127.0.0.1', noDelay: true })
    const asked = new Map<number, Command>()
    near.on('error', () => far?.destroy()).on('close', () => far?.destroy())
    far?.on('error', () => near.destroy()).on('close', () => near.destroy())
    near.on(
      'data',
      messages((message) => {
        const command = commandOf(message)
        const answer = onCommand(command)
        if (answer === 'reset') return near.resetAndDestroy()
        if (answer) return near.write(replyTo(message, answer))
        if (!far) throw new Error(`nobody answers ${command.$name}`)
        asked.set(message.readInt32LE(4), command)
        const changed = onRequest(command)
        far.write(changed === command ? message : rewritten(message, changed))
      }),
    )
    far?.on(
      'data',
      messages((message) => {
        const command = asked.get(message.readInt32LE(8))
        if (!command || message.readInt32LE(12) !== OP_MSG) return near.write(message)
        asked.delete(message.readInt32LE(8))
        const reply = BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)))
        const changed = onReply(command, reply)
        near.write(changed === reply ? message : rewritten(message, changed))
      }),
    )
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}

/** What a server of a replica set says of itself, where the test is all the server there is. */
export function helloOf(port: number): Document {
  const host = `127.0.0.1:${port}`
  const set = { setName: 'rs0', me: host, hosts: [host], primary: host, setVersion: 1 }
  const sizes = { maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 }
  const versions = { minWireVersion: 0, maxWireVersion: 25, logicalSessionTimeoutMinutes: 30 }
  return { helloOk: true, isWritablePrimary: true, ismaster: true, ...set, ...sizes, ...versions, ok: 1 }
}

/** Whole messages out of the bytes that arrive. */
function messages(take: (message: Buffer) => void): (chunk: Buffer) => void {
  let buffer = Buffer.alloc(0)
  return (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    while (buffer.length >= 16 && buffer.length >= buffer.readInt32LE(0)) {
      const message = buffer.subarray(0, buffer.readInt32LE(0))
      buffer = buffer.subarray(message.length)
      take(message)
    }
  }
}

/** The body, with the documents of its sequences under their names. */
function commandOf(message: Buffer): Command {
  if (message.readInt32LE(12) === OP_QUERY) {
    const body = BSON.deserialize(message.subarray(message.indexOf(0, 20) + 9))
    return { ...body, $name: Object.keys(body)[0]! }
  }
  let body: Document = {}
  const sequences: Document = {}
  for (let at = 20; at < message.length;) {
    const kind = message[at++]
    const end = at + message.readInt32LE(at)
    if (kind === 0) body = BSON.deserialize(message.subarray(at, end))
    else {
      const nameEnd = message.indexOf(0, at + 4)
      const documents: Document[] = []
      for (let from = nameEnd + 1; from < end; from += message.readInt32LE(from))
        documents.push(BSON.deserialize(message.subarray(from, from + message.readInt32LE(from))))
      sequences[message.toString('utf8', at + 4, nameEnd)] = documents
    }
    at = end
  }
  return { ...body, ...sequences, $name: Object.keys(body)[0]! }
}

function replyTo(message: Buffer, answer: Document): Buffer {
  const body = BSON.serialize(answer)
  const isQuery = message.readInt32LE(12) === OP_QUERY
  const head = Buffer.alloc(isQuery ? 36 : 21)
  head.writeInt32LE(head.length + body.length, 0)
  head.writeInt32LE(message.readInt32LE(4), 8)
  head.writeInt32LE(isQuery ? 1 : OP_MSG, 12)
  if (isQuery) head.writeInt32LE(1, 32)
  return Buffer.concat([head, body])
}

/** A message with another body. */
function rewritten(message: Buffer, { $name: _, ...other }: Document): Buffer {
  const body = BSON.serialize(other)
  const head = Buffer.from(message.subarray(0, 21))
  head.writeInt32LE(head.length + body.length, 0)
  head.writeInt32LE(0, 16) // without a checksum
  return Buffer.concat([head, body])
}
