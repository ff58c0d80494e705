/** The judges themselves: a store in which a promise was broken on purpose must be found out. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { checkLedger } from './check-ledger.ts'
import { divergence } from './check-store.ts'
import { checkEvents, readEventFile, type StoredEvent } from '../event-file.ts'
import { isAcknowledged, openLedger, type Entry, type Ledger, type RowResult } from './ledger.ts'
import { newToken, startLoad } from './load.ts'
import { nothingKnown } from './mix.ts'
import { seededRandom } from '../../support/random.ts'
import { startService, withFolder } from './service-process.ts'
import { openedPositions } from '../../support/opened-positions.ts'

describe('the judges of the fault tests', function () {
  this.timeout(60_000)
  let folder: string
  let dataDir: string
  let ledger: Ledger
  let events: readonly StoredEvent[]

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-checks-'))
    dataDir = join(folder, 'data')
    ledger = openLedger(openedPositions(dataDir))
    const service = await startService({ dataDir })
    const known = { ...nothingKnown(), approver: await newToken(service) }
    const load = startLoad({ service, ledger, known, random: seededRandom(1), clients: 8 })
    while (ledger.entries.filter(isAcknowledged).length < 150) await delay(10)
    await load.stop()
    await service.end('SIGTERM')
    events = readEventFile(join(dataDir, 'events.db')).events
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const acknowledged = (kind: Entry['intent']['kind']): Entry =>
    ledger.entries.find((entry) => entry.intent.kind === kind && isAcknowledged(entry))!
  const eventOf = ({ id }: Entry): StoredEvent => events.find(({ reason }) => reason === id)!
  const told = (entry: Entry, answer: Partial<Entry['answer']>): Entry[] =>
    ledger.entries.map((one) => (one === entry ? { ...one, answer: { ...one.answer!, ...answer } } : one))

  const ledgerFaults = (entries: readonly Entry[], stored: readonly StoredEvent[]): string =>
    checkLedger(entries, stored).faults.join('\n')
  const eventFaults = (stored: readonly StoredEvent[]): string =>
    checkEvents({ events: stored, damage: [] }).join('\n')

  it('find nothing where nothing is wrong', async () => {
    expect(ledgerFaults(ledger.entries, events)).to.equal('')
    expect(eventFaults(events)).to.equal('')
    expect(await divergence(dataDir)).to.deep.equal([])
  })

  it('miss an acknowledged write that is gone', () => {
    const entry = acknowledged('patch')
    const rest = events.filter((event) => event !== eventOf(entry))
    expect(ledgerFaults(ledger.entries, rest)).to.match(new RegExp(`^${entry.id} .*LOST`, 'm'))
  })

  it('miss one row of a batch', () => {
    const entry = acknowledged('batch')
    const row = (entry.answer!.data as RowResult[]).find(({ Status }) => Status === 201)!
    const rest = events.filter(({ stream, version }) => stream !== row.Id || version > 1)
    expect(ledgerFaults(ledger.entries, rest)).to.match(new RegExp(`^${entry.id} .*batch.*LOST`, 'm'))
  })

  it('see that a write was stored with something else than was asked for', () => {
    const entry = acknowledged('create')
    const other = events.map((event) =>
      event === eventOf(entry) ? { ...event, data: { ...event.data, Notes: 'something else' } } : event,
    )
    expect(ledgerFaults(ledger.entries, other)).to.include(`${entry.id}: Notes of`)
  })

  it('see half of a write', () => {
    const entry = acknowledged('create')
    const { Notes, ...half } = eventOf(entry).data
    const other = events.map((event) => (event === eventOf(entry) ? { ...event, data: half } : event))
    expect(Notes).to.equal(entry.id)
    expect(ledgerFaults(ledger.entries, other)).to.include(`${entry.id}: Notes of`)
  })

  it('see a write that was done twice, and one that nobody asked for', () => {
    const entry = acknowledged('patch')
    const { version, ...event } = eventOf(entry)
    expect(ledgerFaults(ledger.entries, [...events, { ...event, version: version + 100 }])).to.include(
      `${entry.id} (patch) was done 2 times`,
    )
    const rest = ledger.entries.filter((one) => one !== entry)
    expect(ledgerFaults(rest, events)).to.include('was asked for by no request')
  })

  it('see an action that was taken where it does not lead from', () => {
    const { entry, key } = ledger.entries.flatMap((one) =>
      one.intent.kind === 'act' && one.intent.action === 'submit' && isAcknowledged(one)
        ? [{ entry: one, key: one.intent.key }]
        : [],
    )[0]!
    const event = eventOf(entry)
    const wrong = ledger.entries.map((one) =>
      one === entry ? { ...one, intent: { kind: 'act' as const, key, action: 'revise' as const } } : one,
    )
    const other = events.map((one) =>
      one === event ? { ...one, type: 'contract.workflow.revised', data: { Status: 'Draft' } } : one,
    )
    expect(ledgerFaults(wrong, other)).to.include(`${entry.id}: ${key} was revised while`)
  })

  it('see a write that was refused, and yet done', () => {
    const entry = acknowledged('put')
    expect(ledgerFaults(told(entry, { status: 409 }), events)).to.include('refused with 409, and yet done')
  })

  it('see an answer that tells another version than was stored', () => {
    const entry = acknowledged('patch')
    const version = entry.answer!.version! + 1
    expect(ledgerFaults(told(entry, { version }), events)).to.include(`was acknowledged as`)
  })

  it('see writes that took effect in another order than clients saw', () => {
    const [first, later] = ledger.entries.filter(
      ({ intent, answer }) => intent.kind === 'create' && answer?.status === 201,
    ) as [Entry, Entry]
    const swapped = ledger.entries.map((one) =>
      one === first ? { ...one, sentAt: later.answer!.at + 10_000 } : one,
    )
    expect(ledgerFaults(swapped, events)).to.include(`${first.id} was sent after`)
  })

  it('see gaps and repeats in the event file', () => {
    const numbered = events.filter(({ type }) => type === 'contract.created')
    const [one, other] = numbered as [StoredEvent, StoredEvent]
    const number = one.data['ContractNumber']!
    const twice = events.map((event) =>
      event === other ? { ...event, data: { ...event.data, ContractNumber: number } } : event,
    )
    expect(eventFaults(twice)).to.include('ContractNumber')
    expect(eventFaults(events.filter((event) => event !== one))).to.include('stands where')
    expect(
      eventFaults(events.map((event) => (event === other ? { ...event, id: one.id } : event))),
    ).to.include('event id')
    expect(eventFaults(events.filter(({ type }) => type !== 'numbering.reserved'))).to.include(
      'never reserved',
    )
    const unclaimed = events.filter(({ type }) => type !== 'claim.taken')
    expect(eventFaults(unclaimed)).to.include('without a claim')
  })

  const damages: readonly (readonly [what: string, table: RegExp, sql: string])[] = [
    [
      'a document',
      /record_contract: only in the kept/,
      "UPDATE record_contract SET document = replace(document, 'EUR', 'XXX')",
    ],
    [
      'a column',
      /record_contract: only in the kept/,
      'UPDATE record_contract SET Duration = Duration + 1 WHERE n = (SELECT min(n) FROM record_contract WHERE deleted = 0)',
    ],
    [
      'a record that is missing',
      /record_tenant: only in the rebuilt/,
      'DELETE FROM record_tenant WHERE n = (SELECT min(n) FROM record_tenant WHERE deleted = 0)',
    ],
    ['a total', /totals: only in the kept/, 'UPDATE totals SET total = total + 1'],
    [
      'words of a search index',
      /search_tenant: only in the rebuilt/,
      "INSERT OR REPLACE INTO search_tenant (rowid, words) SELECT min(n), 'else' FROM record_tenant WHERE deleted = 0",
    ],
  ]
  for (const [what, expected, sql] of damages)
    it(`see that read models differ from their events: ${what}`, () =>
      withFolder(async (copy) => {
        cpSync(dataDir, copy, { recursive: true })
        const models = readdirSync(copy).find((name) => /^read-models-\w+\.db$/.test(name))!
        const db = new DatabaseSync(join(copy, models))
        db.exec(sql)
        db.close()
        expect((await divergence(copy)).join('\n')).to.match(expected)
      }))
})
