/**
 * Names of streams in a store: `<shard>-<name>`, where the name is a Key, or that of bookkeeping, and the shard two hex
 * digits of a hash of the company.
 *
 * By the prefix a server can hand out the streams of some shards only, projectors can share the work, and a company can
 * be moved. Only adapters of event stores know the prefix; Keys and the API never show it.
 */
import type { Company } from './event.ts'

/** How many shards there are. The number and the hash are kept for ever: they are part of stored names. */
export const SHARDS = 256

const shards = new Map<Company, string>()
/** Companies are remembered up to here; then the memory begins again. */
const REMEMBERED = 10_000

/** Two hex digits: FNV-1a over the UTF-16 units of the company's Key, its four bytes folded into one. */
export function shardOf(company: Company): string {
  let shard = shards.get(company)
  if (shard !== undefined) return shard
  let hash = 0x811c9dc5
  for (let i = 0; i < company.length; i++) hash = Math.imul(hash ^ company.charCodeAt(i), 0x01000193)
  const byte = (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & 0xff
  shard = byte.toString(16).padStart(2, '0')
  if (shards.size >= REMEMBERED) shards.clear()
  shards.set(company, shard)
  return shard
}

/** The stream's name in the store. */
export const streamOf = (company: Company, name: string): string => `${shardOf(company)}-${name}`

const SHARDED = /^[0-9a-f]{2}-./

/** The name without its shard; undefined for a stream that `streamOf` did not name. */
export const nameOfStream = (stream: string): string | undefined =>
  SHARDED.test(stream) ? stream.slice(3) : undefined
