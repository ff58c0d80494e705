/** Text of a workbook, plain or rich: its runs one after another, without the readings above them (`rPh`). */
import { FileRefused } from '../reader.ts'

export interface PlainText {
  begin(): void
  open(element: string): void
  text(part: string): void
  close(element: string): void
  end(): string
}

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g

/** Characters that XML cannot hold are written `_x000D_`, and `_x005F_` is the underscore of such a text itself. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(ESCAPED, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text

/** Throws `FileRefused` (`cell-too-long`) for a text of more than `longest` characters. */
export function plainText(longest: number): PlainText {
  let text = ''
  let inText = false
  let phonetic = 0
  return {
    begin() {
      text = ''
      inText = false
      phonetic = 0
    },
    open(element) {
      if (element === 'rPh') phonetic++
      else if (element === 't') inText = phonetic === 0
    },
    text(part) {
      if (!inText) return
      text += part
      if (text.length > longest)
        throw new FileRefused('cell-too-long', `The workbook has a text of more than ${longest} characters.`)
    },
    close(element) {
      if (element === 'rPh') phonetic--
      else if (element === 't') inText = false
    },
    end: () => unescaped(text),
  }
}
