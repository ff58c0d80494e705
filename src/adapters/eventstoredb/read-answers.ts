/**
 * Decodes the answers of `Streams/Read`: only the fields that are needed, straight from the bytes. The generated messages
 * take twice as long, and every follower decodes every event of the store.
 */
import type { ServerEvent, ServerPosition } from './recorded.ts'

export type ReadAnswer =
  | { readonly kind: 'event'; readonly event: ServerEvent }
  /** A subscription has got so far. */
  | { readonly kind: 'checkpoint'; readonly position: ServerPosition }
  /** A subscription has begun. */
  | { readonly kind: 'confirmed' }
  /** There is no such stream. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'other' }

const OTHER: ReadAnswer = { kind: 'other' }

// Numbers of fields, from the protocol's `streams.proto` and `shared.proto`.
const ANSWER = { event: 1, confirmation: 2, checkpoint: 3, missing: 4 }
const READ_EVENT = { event: 1 }
const RECORDED = {
  id: 1,
  stream: 2,
  revision: 3,
  prepare: 4,
  commit: 5,
  metadata: 6,
  customMetadata: 7,
  data: 8,
}
const CHECKPOINT = { commit: 1, prepare: 2 }
const STREAM = { name: 3 }
const UUID = { structured: 1, text: 2 }
const STRUCTURED = { most: 1, least: 2 }
const ENTRY = { key: 1, value: 2 }

export function decodeAnswer(bytes: Buffer): ReadAnswer {
  const fields = new Fields(bytes, 0, bytes.length)
  while (fields.next()) {
    if (fields.number === ANSWER.event) return readEvent(fields.message())
    if (fields.number === ANSWER.checkpoint)
      return { kind: 'checkpoint', position: checkpoint(fields.message()) }
    if (fields.number === ANSWER.confirmation) return { kind: 'confirmed' }
    if (fields.number === ANSWER.missing) return { kind: 'missing' }
  }
  return OTHER
}

function readEvent(fields: Fields): ReadAnswer {
  while (fields.next())
    if (fields.number === READ_EVENT.event) return { kind: 'event', event: recordedEvent(fields.message()) }
  return OTHER
}

function checkpoint(fields: Fields): ServerPosition {
  let commit = 0
  let prepare = 0
  while (fields.next())
    if (fields.number === CHECKPOINT.commit) commit = fields.value
    else if (fields.number === CHECKPOINT.prepare) prepare = fields.value
  return { commit, prepare }
}

function recordedEvent(fields: Fields): ServerEvent {
  let [id, stream, type, contentType, metadata, data] = ['', '', '', '', '', '']
  let [revision, commit, prepare] = [0, 0, 0]
  while (fields.next()) {
    const { number } = fields
    if (number === RECORDED.id) id = uuid(fields.message())
    else if (number === RECORDED.stream) stream = textIn(fields.message(), STREAM.name)
    else if (number === RECORDED.revision) revision = fields.value
    else if (number === RECORDED.prepare) prepare = fields.value
    else if (number === RECORDED.commit) commit = fields.value
    else if (number === RECORDED.customMetadata) metadata = fields.text()
    else if (number === RECORDED.data) data = fields.text()
    else if (number === RECORDED.metadata) {
      const [key, value] = entry(fields.message())
      if (key === 'type') type = value
      else if (key === 'content-type') contentType = value
    }
  }
  const isJson = contentType === 'application/json'
  return { id, stream, revision, type, isJson, data, metadata, position: { commit, prepare } }
}

function textIn(fields: Fields, number: number): string {
  let text = ''
  while (fields.next()) if (fields.number === number) text = fields.text()
  return text
}

function entry(fields: Fields): readonly [string, string] {
  let [key, value] = ['', '']
  while (fields.next())
    if (fields.number === ENTRY.key) key = fields.text()
    else if (fields.number === ENTRY.value) value = fields.text()
  return [key, value]
}

function uuid(fields: Fields): string {
  while (fields.next()) {
    if (fields.number === UUID.text) return fields.text()
    if (fields.number === UUID.structured) return uuidOfHalves(fields.message())
  }
  return ''
}

function uuidOfHalves(fields: Fields): string {
  let [most, least] = [0n, 0n]
  while (fields.next())
    if (fields.number === STRUCTURED.most) most = fields.exact()
    else if (fields.number === STRUCTURED.least) least = fields.exact()
  return uuidText(most, least)
}

/** The id of which these are the halves, each as 64 bits. */
export function uuidText(most: bigint, least: bigint): string {
  const hex = [most, least].map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** The fields of one message of Protocol Buffers, in their order. */
class Fields {
  number = 0
  /** Of a numeric field; past 2^53 it is rounded, see `exact`. */
  value = 0
  readonly #bytes: Buffer
  readonly #end: number
  #at: number
  /** Where the value of the field begins, and, of bytes, ends. */
  #from = 0
  #to = 0

  constructor(bytes: Buffer, at: number, end: number) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** Goes to the next field; false at the end. @throws RangeError when the bytes are not a message */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const tag = this.#varint()
    this.number = Math.floor(tag / 8)
    this.#from = this.#at
    const wireType = tag % 8
    if (wireType === VARINT) this.value = this.#varint()
    else if (wireType === BYTES) {
      const length = this.#varint()
      this.#from = this.#at
      this.#at += length
    } else if (wireType === FIXED64) this.#at += 8
    else if (wireType === FIXED32) this.#at += 4
    else throw new RangeError(`an answer of the event store has a field of the unknown type ${wireType}`)
    this.#to = this.#at
    if (this.#to > this.#end) throw new RangeError('an answer of the event store is cut short')
    return true
  }

  message(): Fields {
    return new Fields(this.#bytes, this.#from, this.#to)
  }

  text(): string {
    return this.#bytes.toString('utf8', this.#from, this.#to)
  }

  /** A numeric field, however large. */
  exact(): bigint {
    let value = 0n
    for (let at = this.#to - 1; at >= this.#from; at--)
      value = (value << 7n) | BigInt((this.#bytes[at] ?? 0) & 0x7f)
    return value
  }

  #varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('an answer of the event store is cut short')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
}
