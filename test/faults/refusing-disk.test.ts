/**
 * A disk that refuses to read or to write a file for a while, and then does again: what cannot be done is 503, the service goes
 * on, nothing is parked, and nothing that was acknowledged is lost.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { needs, PROGRAMS } from '../engines/programs/programs.ts'
import { openedPositions } from '../support/opened-positions.ts'
import { seededRandom } from '../support/random.ts'
import { eventually } from '../system/support/eventually.ts'
import { faultsAfterRestart } from './ledger/after-restart.ts'
import { isAcknowledged, openLedger } from './ledger/ledger.ts'
import { startLoad } from './ledger/load.ts'
import { nothingKnown } from './ledger/mix.ts'
import { endServices, startService, withFolder, type ServiceProcess } from './ledger/service-process.ts'
import { refuse } from './refusing-disk.ts'

/** What reads the files, one after the other. */
const QUESTIONS = [
  ['GET', 'tenant?pageSize=5&filter=contains(Name,%27a%27)'],
  ['GET', 'tenant?search=a'],
  ['GET', 'audit?pageSize=3'],
  ['GET', 'tenant/changes'],
  ['POST', 'warehouse/query', '{"Sql":"SELECT count(*) FROM wh_Leasing_Tenant"}'],
  ['GET', 'webhooks'],
  ['GET', 'health/ready'],
] as const
const HEALED_MS = 20_000

describe('a disk that refuses one file for a while', function () {
  this.timeout(300_000)
  before(function () {
    needs(this, PROGRAMS.strace)
  })

  it('costs 503 while it lasts, and nothing afterwards', () =>
    withFolder(async (folder) => {
      const dataDir = join(folder, 'data')
      const ledger = openLedger(openedPositions(dataDir))
      const known = nothingKnown()
      try {
        const service = await startService({ dataDir, settings: { LOG_LEVEL: 'fatal' } })
        const load = startLoad({ service, ledger, known, random: seededRandom(11), clients: 4 })
        const written = (more: number) => {
          const before = ledger.entries.filter(isAcknowledged).length
          return eventually('it is written', async () =>
            expect(ledger.entries.filter(isAcknowledged).length).to.be.above(before + more),
          )
        }
        await written(100)
        const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
          (name) => name.endsWith('.db') && !/lock/.test(name),
        )
        let refused = 0
        for (const call of ['pread64', 'pwrite64'] as const)
          for (const file of files) {
            const disk = await refuse({ pid: service.pid, path: join(dataDir, file), call, folder })
            const answers = await asked(service)
            refused += await disk.heal()
            const what = `${call} of ${file}`
            expect(service.isRunning(), `${what}: ${service.output()}`).to.equal(true)
            expect(
              answers.filter((status) => status !== 200 && status !== 503),
              what,
            ).to.deep.equal([])
            await eventually(
              `all is answered again after ${what}`,
              async () => expect(new Set(await asked(service))).to.deep.equal(new Set([200])),
              HEALED_MS,
            )
            await written(10)
          }
        console.log(`        ${refused} calls refused, ${ledger.entries.length} writes`)
        expect(refused).to.be.above(50)
        const projections = (await ask(service, 'GET', 'projections')).text
        expect(projections).to.not.include('"parked"')
        await load.stop()
        expect(
          ledger.entries.map(({ answer }) => answer?.status).filter((status) => status === 500),
        ).to.deep.equal([])
        await service.end('SIGTERM')
        expect(await faultsAfterRestart({ dataDir, ledger, known })).to.deep.equal([])
      } finally {
        await endServices()
      }
    }))
})

async function ask({ url, token }: ServiceProcess, method: string, path: string, body?: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${url}/api/v1/${path}`, { method, headers, ...(body && { body }) })
  return { status: response.status, text: await response.text() }
}

async function asked(service: ServiceProcess): Promise<readonly number[]> {
  const statuses: number[] = []
  for (const [method, path, body] of QUESTIONS) {
    const { status } = await ask(service, method, path, body)
    statuses.push(status)
  }
  return statuses
}
