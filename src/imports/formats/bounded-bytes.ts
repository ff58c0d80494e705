/** Bytes of a file, as long as there are not too many. */
import { FileRefused } from './reader.ts'

/** The same bytes; throws `FileRefused` (`too-large`) with the chunk that goes beyond `most`. */
export async function* boundedBytes(
  bytes: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<Uint8Array, void> {
  let count = 0
  for await (const chunk of bytes) {
    count += chunk.byteLength
    if (count > most)
      throw new FileRefused('too-large', `The file has more than ${most} bytes: import it in parts.`)
    yield chunk
  }
}
