/** Signatures of the HMAC family: of the body, of the address and the body, of chosen fields of each item. */
import { createHmac } from 'node:crypto'
import type { Json } from '../../domain/json.ts'
import type { HmacScheme, Piece } from '../definition/verify-schema.ts'
import { itemsAt } from '../mapping/items.ts'
import { valueAt } from '../mapping/path.ts'
import { isEqual } from './equal.ts'
import { doubtOfTime } from './timestamp.ts'
import type { Doubt, Verifying } from './inbound.ts'

/** The pairs of a split signature, and the signatures that may be the right one. */
interface Signatures {
  readonly tokens: ReadonlyMap<string, string>
  readonly candidates: readonly string[]
}

export function checkHmac(scheme: HmacScheme, verifying: Verifying): Doubt {
  const keys = verifying.secrets(scheme.secret)
  if (keys.length === 0) return `the secret ${scheme.secret} is not set`
  const items = scheme.each === undefined ? [verifying.payload] : itemsAt(verifying.payload, scheme.each)
  if (items.length === 0) return `there is nothing at ${scheme.each}`
  for (const item of items) {
    const doubt = checkItem(scheme, verifying, item, keys)
    if (doubt !== undefined) return doubt
  }
  return undefined
}

function checkItem(
  scheme: HmacScheme,
  verifying: Verifying,
  item: Json | undefined,
  keys: readonly string[],
): Doubt {
  const stated =
    'header' in scheme.from ? verifying.inbound.headers[scheme.from.header] : valueAt(scheme.from.field, item)
  if (typeof stated !== 'string') return 'the signature is missing'
  const { tokens, candidates } = signaturesOf(scheme, stated)
  const late = scheme.timestamp && doubtOfTime(scheme.timestamp, verifying, tokens)
  if (late !== undefined) return late
  const content = contentOf(scheme, verifying, item, tokens)
  if (content === undefined) return 'a part of what was signed is missing'
  const isSigned = keys.some((key) => {
    const expected = createHmac(scheme.hmac, Buffer.from(key, scheme.key)).update(content).digest()
    return candidates.some((candidate) => isEqual(bytesOf(candidate, scheme.encoding), expected))
  })
  return isSigned ? undefined : 'the signature is another one'
}

function signaturesOf({ split, prefix = '' }: HmacScheme, stated: string): Signatures {
  const bare = (text: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : '')
  if (split === undefined) return { tokens: new Map(), candidates: [bare(stated)] }
  const pairs = stated.split(split.by).map((pair): [string, string] => {
    const at = pair.indexOf(split.pair)
    return at < 0 ? ['', pair.trim()] : [pair.slice(0, at).trim(), pair.slice(at + split.pair.length).trim()]
  })
  const candidates = pairs.filter(([name]) => name === split.take).map(([, value]) => bare(value))
  return { tokens: new Map(pairs), candidates: candidates.slice(0, 10) }
}

function contentOf(
  { content, join }: HmacScheme,
  verifying: Verifying,
  item: Json | undefined,
  tokens: Signatures['tokens'],
): Buffer | undefined {
  const pieces = content.map((piece) => bytesOfPiece(piece, verifying, item, tokens))
  if (pieces.includes(undefined)) return undefined
  const joint = Buffer.from(join)
  return Buffer.concat((pieces as Buffer[]).flatMap((piece, index) => (index > 0 ? [joint, piece] : [piece])))
}

function bytesOfPiece(
  piece: Piece,
  { inbound }: Verifying,
  item: Json | undefined,
  tokens: Signatures['tokens'],
): Buffer | undefined {
  if (piece === 'body') return Buffer.from(inbound.body)
  if (piece === 'url') return Buffer.from(inbound.url)
  if (piece === 'method') return Buffer.from(inbound.method)
  if (piece === 'path') {
    const { pathname, search } = new URL(inbound.url)
    return Buffer.from(pathname + search)
  }
  const text =
    'text' in piece
      ? piece.text
      : 'token' in piece
        ? tokens.get(piece.token)
        : 'header' in piece
          ? inbound.headers[piece.header]
          : fieldText(piece.field, item)
  return text === undefined ? undefined : Buffer.from(text)
}

/** A field that is absent is signed as an empty text; lists and objects cannot be signed. */
function fieldText(path: string, item: Json | undefined): string | undefined {
  const value = valueAt(path, item)
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? undefined : String(value)
}

/** Nothing where the text is not in the encoding, which equals no signature. */
function bytesOf(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  const isEncoded =
    encoding === 'hex' ? /^([0-9a-fA-F]{2})+$/.test(text) : /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  return isEncoded ? Buffer.from(text, encoding) : new Uint8Array()
}
