/** The lines of a text that comes in parts, whatever they end with. */
import { FileRefused } from './reader.ts'

/** Without their ends; throws `FileRefused` (`cell-too-long`) for a line of more than `longest` characters. */
export async function* linesOf(text: AsyncIterable<string>, longest: number): AsyncGenerator<string, void> {
  let rest = ''
  let count = 0
  const checked = (line: string): string => {
    count++
    if (line.length > longest)
      throw new FileRefused('cell-too-long', `Line ${count} has more than ${longest} characters.`)
    return line
  }
  for await (const part of text) {
    const lines = (rest + part).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) yield checked(line)
    if (rest.length > longest) checked(rest)
  }
  if (rest !== '') yield checked(rest.replace(/\r$/, ''))
}
