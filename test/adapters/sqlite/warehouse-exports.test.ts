/** Rows as files: what no spreadsheet runs, and what other tools read back. */
import { expect } from 'chai'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { csv } from '../../../src/adapters/formats/csv.ts'
import type { RowEncoder } from '../../../src/adapters/formats/encoder.ts'
import { parquet } from '../../../src/adapters/formats/parquet.ts'
import type { Cell, ColumnType } from '../../../src/domain/warehouse/columns.ts'
import type { ColumnInfo } from '../../../src/ports/warehouse.ts'

const column = (name: string, type: ColumnType): ColumnInfo => ({
  ...{ name, type, description: '', field: name, personal: false, current: true },
})

function* encoded(encoder: RowEncoder, rows: Iterable<readonly Cell[]>) {
  for (const row of rows) {
    const bytes = encoder.add(row)
    if (bytes) yield bytes
  }
  yield encoder.end()
}

describe('rows as CSV', () => {
  const linesOf = (columns: readonly ColumnInfo[], ...rows: readonly (readonly Cell[])[]) =>
    Buffer.concat([...encoded(csv(columns), rows)])
      .toString()
      .split('\r\n')
      .slice(1, -1)

  it('defuse whatever a spreadsheet would run, in text and in JSON', () => {
    const columns = [column('Text', 'text'), column('Data', 'json')]
    for (const first of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
      const text = `${first}HYPERLINK(1)`
      const cell = /[\r\n]/.test(first) ? `"'${text}"` : `'${text}`
      expect(linesOf(columns, [text, text]), JSON.stringify(first)).to.deep.equal([`${cell},${cell}`])
    }
  })

  it('leave numbers, dates and text that is no formula as they are', () => {
    const columns = [
      column('Amount', 'money'),
      column('Day', 'date'),
      column('Text', 'text'),
      column('On', 'boolean'),
    ]
    expect(
      linesOf(columns, [-1.5, '2026-01-31', 'a=b', 1], [null, null, null, null], [0, '0001-01-01', '', 0]),
    ).to.deep.equal(['-1.5,2026-01-31,a=b,true', ',,,', '0,0001-01-01,"",false'])
    expect(linesOf([column('Text', 'text')], ['say "a", b'], ["'a"])).to.deep.equal(['"say ""a"", b"', "'a"])
  })
})

describe('rows as Parquet', () => {
  const columns = [
    ...[column('Key', 'text'), column('Amount', 'money'), column('Count', 'integer'), column('Day', 'date')],
    ...[column('At', 'timestamp'), column('On', 'boolean')],
  ]
  const AMOUNTS = [0.1, -0.5, 999_999_999_999_999, -12_345_678_901.2345, 0, 1e-4, null]
  const rowOf = (i: number): Cell[] => [
    `record ${i}`,
    AMOUNTS[i % AMOUNTS.length]!,
    i % 5 ? i : null,
    i % 3 ? '0001-01-01' : '9999-12-31',
    i % 4 ? '1969-12-31T23:59:59Z' : null,
    i % 2,
  ]
  const fileOf = (count: number) => {
    function* rows() {
      for (let i = 0; i < count; i++) yield rowOf(i)
    }
    const bytes = Buffer.concat([...encoded(parquet(columns), rows())])
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  }

  for (const count of [0, 1, 9_999, 10_000, 20_001])
    it(`are read back as they were, ${count} of them`, async () => {
      const file = fileOf(count)
      expect(parquetMetadata(file).row_groups.map(({ num_rows: rows }) => Number(rows))).to.deep.equal(
        Array.from({ length: Math.ceil(count / 10_000) }, (_, i) => Math.min(10_000, count - i * 10_000)),
      )
      const rows = await parquetReadObjects({ file })
      expect(rows).to.have.length(count)
      for (const [i, row] of rows.entries()) {
        const [Key, Amount, Count, Day, At, On] = rowOf(i)
        const wanted = {
          ...{ Key, Amount, On: On === 1 },
          Count: Count === null ? null : BigInt(Count as number),
          Day: new Date(Day as string),
          At: At === null ? null : new Date(At as string),
        }
        // One by one: to compare all at once takes long.
        for (const name of Object.keys(wanted)) {
          const [is, was] = [row[name] as unknown, wanted[name as keyof typeof wanted]]
          if (
            is instanceof Date ? is.getTime() !== (was as Date).getTime() : is !== was && (is ?? null) !== was
          )
            expect(row, String(i)).to.deep.equal(wanted)
        }
      }
    })
})
