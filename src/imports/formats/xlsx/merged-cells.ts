/** Merged cells, where a profile wants all of them to have the value of the first: they stand behind the rows. */
import { columnOf } from '../column-letters.ts'
import { FileRefused, type SourceCell, type SourceRow } from '../reader.ts'
import { xmlParser } from '../xml.ts'

interface Area {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

const MOST_AREAS = 100_000
const AREA = /^\$?([A-Z]{1,3})\$?(\d+):\$?([A-Z]{1,3})\$?(\d+)$/

/** The areas of a sheet, from its text. Throws `FileRefused`. */
export async function mergedAreas(text: AsyncIterable<string>): Promise<readonly Area[]> {
  const areas: Area[] = []
  const parser = xmlParser('The sheet', {
    open(element, { ref }) {
      const match = element === 'mergeCell' ? AREA.exec(ref ?? '') : null
      if (!match) return
      if (areas.length === MOST_AREAS)
        throw new FileRefused(
          'too-large',
          `The sheet has more than ${MOST_AREAS} merged areas: do not ask for FillMerged.`,
        )
      areas.push({
        left: columnOf(match[1]!),
        top: Number(match[2]),
        right: columnOf(match[3]!),
        bottom: Number(match[4]),
      })
    },
  })
  for await (const part of text) parser.take(part)
  parser.end()
  return areas.sort((a, b) => a.top - b.top)
}

/** The rows, with the value of each area's first cell in the rest of it; rows that are not there stay away. */
export async function* filledRows(
  rows: AsyncIterable<SourceRow>,
  areas: readonly Area[],
  mostColumns: number,
): AsyncGenerator<SourceRow, void> {
  let next = 0
  let open: { readonly area: Area; value: SourceCell }[] = []
  for await (const row of rows) {
    open = open.filter(({ area }) => area.bottom >= row.number)
    for (; next < areas.length && areas[next]!.top <= row.number; next++)
      open.push({ area: areas[next]!, value: null })
    if (open.length === 0) {
      yield row
      continue
    }
    const cells = [...row.cells]
    for (const one of open) {
      const { top, left, right } = one.area
      if (top === row.number) one.value = row.cells[left - 1] ?? null
      for (let column = left; column <= Math.min(right, mostColumns); column++) {
        while (cells.length < column) cells.push(null)
        cells[column - 1] = one.value
      }
    }
    yield { ...row, cells }
  }
}
