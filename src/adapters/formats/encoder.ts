/** Rows as the bytes of an export, in pieces large enough to be worth sending. */
import type { Cell } from '../../domain/warehouse/columns.ts'

export interface RowEncoder {
  /** Takes the next row; the bytes so far when they are worth sending. */
  add(row: readonly Cell[]): Uint8Array | undefined
  /** The last bytes. */
  end(): Uint8Array
}

export interface TextOf {
  readonly head?: string
  readonly line: (row: readonly Cell[]) => string
  readonly tail?: string
}

const CHUNK = 128 * 1024
const encoder = new TextEncoder()

export function textEncoder({ head = '', line, tail = '' }: TextOf): RowEncoder {
  let text = head
  return {
    add(row) {
      text += line(row)
      if (text.length < CHUNK) return undefined
      const bytes = encoder.encode(text)
      text = ''
      return bytes
    },
    end: () => encoder.encode(text + tail),
  }
}
