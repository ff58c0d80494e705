/** Rows that are wrong in twenty ways, among good ones: each is refused for what is wrong with it, and written once when it is right. */
import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { client, testService, TOKEN, type Client, type Data, type TestService } from '../support/service.ts'
import { COLUMNS, corrected, KINDS, kindOf, MAPPING, rowOf, THERE } from './broken-rows.ts'
import { countsIn, settled } from './import-support.ts'
import { csvOf, workbookOf, workbookRows } from './made-files.ts'

/** BROKEN_ROWS=100000 asks for as many, of which 1,000 are wrong. */
const ROWS = Number(process.env['BROKEN_ROWS'] ?? 1_000)
const EVERY = ROWS > 1_000 ? 100 : 10
const BROKEN = ROWS / EVERY

describe('rows that are wrong in twenty ways', function () {
  this.timeout(60_000 + ROWS * 5)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
    for (const body of THERE.employees) await service.create('employee', body)
    for (const Name of THERE.buildings) await service.create('building', { Name })
  })
  afterEach(() => service.discard())

  const send = async (bytes: Uint8Array, options: object): Promise<Data> => {
    const form = new FormData()
    form.set('options', JSON.stringify({ Commit: true, ...options }))
    form.set('file', new Blob([new Uint8Array(bytes)]))
    const sent = new Response(form)
    const api: Client = client(() => service.url, TOKEN)
    const answer = await api.post('employee/import', new Uint8Array(await sent.arrayBuffer()), {
      'Content-Type': sent.headers.get('content-type')!,
    })
    expect(answer.status, answer.text).to.equal(202)
    return settled(service, answer.data.Id, 200 + ROWS / 10)
  }
  const download = async (path: string): Promise<Uint8Array> => {
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${service.url}/api/v1/${path}`, { headers })
    return new Uint8Array(await response.arrayBuffer())
  }

  const FORMATS = {
    csv: {
      write: csvOf,
      read: (bytes: Uint8Array) => parse(Buffer.from(bytes), { bom: true }),
    },
    xlsx: { write: workbookOf, read: (bytes: Uint8Array) => workbookRows(bytes, service.dataDir) },
  } as const

  for (const format of ['csv', 'xlsx'] as const)
    it(`are refused, corrected and written once: ${format}`, async () => {
      const { write, read } = FORMATS[format]
      const rows = Array.from({ length: ROWS }, (_, at) => Object.values(rowOf(at + 1, EVERY)))
      const whole = await send(await write(COLUMNS, rows), { Mapping: MAPPING })
      expect(countsIn(whole), JSON.stringify(whole)).to.include({ Created: ROWS - BROKEN, Failed: BROKEN })

      const refused: Data[] = []
      for (let page = 1; refused.length < BROKEN; page++) {
        const answer = await service.get(`imports/${whole.Id}/rows?outcome=failed&pageSize=100&page=${page}`)
        refused.push(...answer.list)
      }
      expect(new Set(refused.map(({ Row }) => kindOf((Row as number) - 1, EVERY))).size).to.equal(
        KINDS.length,
      )
      for (const { Row, Message, Errors, Cells } of refused) {
        const kind = kindOf((Row as number) - 1, EVERY)!
        const [first] = Errors as { Field: string; Column: string; Message: string }[]
        const shown = `${Row as number}: ${Message as string}`
        expect(first, shown).to.include({ Field: kind.column, Column: kind.column })
        expect(first!.Message, shown).to.match(kind.message)
        expect((Cells as Record<string, string | null>)[kind.column] ?? '').to.equal(
          kind.value((Row as number) - 1),
        )
      }

      const [header, ...cells] = await read(await download(`imports/${whole.Id}/errors.${format}`))
      expect(header!.slice(-2)).to.deep.equal(['Daybook-Row', 'Daybook-Error'])
      const place = header!.indexOf('Daybook-Row')
      const right = cells.map((row) => {
        const at = Number(row[place]!.slice(row[place]!.lastIndexOf('#') + 1)) - 1
        return corrected(at, EVERY, row)
      })
      for (const isAgain of [false, true]) {
        // The second has another content, and the same rows.
        const file = await write(header!, isAgain ? [...right].reverse() : right)
        const done = await send(file, { Mapping: { ...MAPPING, IgnoreColumns: [] } })
        expect(countsIn(done), JSON.stringify(done)).to.include(
          isAgain ? { Created: 0, Skipped: BROKEN, Failed: 0 } : { Created: BROKEN, Failed: 0 },
        )
      }
      const { pagination } = await service.list('employee', { pageSize: '1' })
      expect(pagination.TotalRecords).to.equal(ROWS + THERE.employees.length)
    })
})
