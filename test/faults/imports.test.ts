/**
 * Imports and kill -9: whatever the moment, each row of the file is one record in the end, no number is used twice, and the
 * outcome of each row is known.
 *
 * `IMPORT_KILLS` kills more often than a test has time for; `IMPORT_SEED` chooses other moments.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { countsIn, CSV, settled } from '../imports/import-support.ts'
import { client } from '../support/service.ts'
import { seededRandom } from '../support/random.ts'
import { startService, withFolder, type ServiceProcess } from './ledger/service-process.ts'
import { rounds } from '../support/rounds.ts'

const KILLS = Number(process.env['IMPORT_KILLS'] ?? rounds(3, 6))
const ROWS = Math.max(1_500, KILLS * 500)
const SEED = Number(process.env['IMPORT_SEED'] ?? 1)
/** Every 50th row is refused. */
const isRefused = (row: number) => row % 50 === 0

const file = () => {
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const [tenant, rent] = [`Payer ${i}`, isRefused(i) ? 'much' : String(100 + i)]
    return `${tenant},${rent},EUR,2031-01-01,L-${i}`
  })
  return `Payer,Amount,Currency,StartDate,Number\n${rows.join('\n')}\n`
}

const Mapping = {
  Fields: {
    MonthlyRent: { Amount: { Column: 'Amount' }, Currency: { Column: 'Currency' } },
    StartDate: { Column: 'StartDate' },
    LeaseType: { Column: 'Number' },
  },
  UnknownColumns: 'ignore',
}

describe('imports and kill -9', function () {
  this.timeout(60_000 + KILLS * 20_000)

  it(`writes each of ${ROWS} rows once, however often the process is killed`, () =>
    withFolder(async (dataDir) => {
      const random = seededRandom(SEED)
      let service: ServiceProcess = await startService({ dataDir })
      const api = client(() => service.url, service.token)
      const form = await sent(api, file())
      expect(form.status, form.text).to.equal(202)
      const key = form.data.Id
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(random.between(0, 600))
        await service.end('SIGKILL')
        service = await startService({ dataDir })
      }
      const whole = await settled(api, key)
      const refused = ROWS / 50
      expect([whole['State'], countsIn(whole)]).to.deep.equal([
        'CompletedWithErrors',
        {
          Rows: ROWS,
          Done: ROWS,
          Created: ROWS - refused,
          Updated: 0,
          Unchanged: 0,
          Skipped: 0,
          Failed: refused,
          Undone: 0,
          Kept: 0,
        },
      ])
      const numbers = new Set<unknown>()
      const marks = new Set<unknown>()
      let total = 0
      for (let page = 1; page <= Math.ceil(ROWS / 100); page++) {
        const { list, pagination } = await api.list('contract', {
          page: String(page),
          pageSize: '100',
          sort: 'Id',
        })
        total = pagination.TotalRecords
        for (const { ContractNumber, LeaseType } of list) {
          numbers.add(ContractNumber)
          marks.add(LeaseType)
        }
      }
      expect([total, numbers.size, marks.size]).to.deep.equal([
        ROWS - refused,
        ROWS - refused,
        ROWS - refused,
      ])
      await service.end('SIGTERM')
    }))

  it('undoes each row once, however often the process is killed', () =>
    withFolder(async (dataDir) => {
      const random = seededRandom(SEED + 1)
      let service: ServiceProcess = await startService({ dataDir })
      const api = client(() => service.url, service.token)
      const key = (await sent(api, file())).data.Id
      await settled(api, key)
      const undo = (await api.post(`imports/${key}/undo`, { Commit: true })).data.Id
      for (let kill = 0; kill < Math.ceil(KILLS / 2); kill++) {
        await delay(random.between(0, 600))
        await service.end('SIGKILL')
        service = await startService({ dataDir })
      }
      const whole = await settled(api, undo)
      const done = ROWS - ROWS / 50
      expect(countsIn(whole)).to.include({ Done: done, Undone: done, Kept: 0, Failed: 0 })
      expect((await settled(api, key))['State']).to.equal('Undone')
      expect((await api.list('contract', { pageSize: '1' })).pagination.TotalRecords).to.equal(0)
      const { list } = await api.get(`imports/${undo}/rows?pageSize=100`)
      const versions = list.map(({ Version }) => Version)
      expect(new Set(versions)).to.deep.equal(new Set([2]))
      await service.end('SIGTERM')
    }))
})

async function sent(api: ReturnType<typeof client>, text: string) {
  const boundary = 'between-the-parts'
  const part = (name: string, more: string, body: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${body}\r\n`
  const options = JSON.stringify({ Commit: true, Mapping })
  const body = `${part('options', '', options)}${part('file', '; filename="rents.csv"', text)}--${boundary}--\r\n`
  return api.post('contract/import', body, {
    ...CSV,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
  })
}
