/** Files as clients make them, and as they read them back. */
import { readXlsx } from '../../src/imports/formats/xlsx/xlsx.ts'
import { writtenXlsx } from '../../src/imports/formats/xlsx/writer.ts'

type Table = readonly (readonly string[])[]

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

export const csvOf = async (columns: readonly string[], rows: Table): Promise<Uint8Array> =>
  Buffer.from([columns, ...rows].map((row) => `${row.map(quoted).join(';')}\r\n`).join(''))

export async function workbookOf(columns: readonly string[], rows: Table): Promise<Uint8Array> {
  const sheet = { name: 'Sheet', columns: columns.map((name) => ({ name, text: true })), rows }
  const chunks: Uint8Array[] = []
  for await (const chunk of writtenXlsx(sheet)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** With its header. */
export async function workbookRows(bytes: Uint8Array, folder: string): Promise<string[][]> {
  const source = {
    bytes: (async function* () {
      yield bytes
    })(),
    folder,
  }
  const rows: string[][] = []
  for await (const item of readXlsx(source)) {
    if (item.is === 'columns') rows.push([...item.columns])
    if (item.is === 'row')
      rows.push(
        item.row.cells.map((cell) => (cell === null ? '' : typeof cell === 'string' ? cell : cell.text)),
      )
  }
  return rows
}
