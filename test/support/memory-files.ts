/** Files in memory, by company and hash. */
import { hash } from 'node:crypto'
import type { Files } from '../../src/ports/files.ts'

export function memoryFiles(): Files & { readonly kept: ReadonlyMap<string, Buffer<ArrayBuffer>> } {
  const kept = new Map<string, Buffer<ArrayBuffer>>()
  return {
    kept,
    async put(company, pieces) {
      const all: Uint8Array[] = []
      for await (const piece of pieces) all.push(piece)
      const bytes = Buffer.concat(all)
      const sha256 = hash('sha256', bytes)
      kept.set(`${company} ${sha256}`, bytes)
      return { sha256, bytes: bytes.length }
    },
    async open(company, sha256) {
      const bytes = kept.get(`${company} ${sha256}`)
      return (
        bytes &&
        (async function* () {
          yield bytes
        })()
      )
    },
    remove: async (company, sha256) => void kept.delete(`${company} ${sha256}`),
    close: async () => {},
  }
}
