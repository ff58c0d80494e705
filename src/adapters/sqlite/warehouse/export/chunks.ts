/** Text in pieces large enough to be worth sending. */

const CHUNK = 128 * 1024

export function* inChunks(texts: Iterable<string>): Generator<Uint8Array> {
  let text = ''
  for (const piece of texts) {
    text += piece
    if (text.length < CHUNK) continue
    yield encoded(text)
    text = ''
  }
  if (text !== '') yield encoded(text)
}

const encoder = new TextEncoder()
const encoded = (text: string): Uint8Array => encoder.encode(text)
