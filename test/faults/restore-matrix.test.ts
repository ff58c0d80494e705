/**
 * What becomes of a folder whose files are of different times: an event file of an earlier state, put back or gone on with
 * elsewhere, beside read models, warehouse and outbox of before or after. Cell by cell, as docs/durability.md lists it.
 */
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { verifyReadModels } from '../../scripts/verify/verify-read-models.ts'
import { verifyWarehouse } from '../../scripts/verify/verify-warehouse.ts'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { startReceiver, type Receiver } from '../webhooks/receiver.ts'
import { expectHeld, heldBy, HELD, sentTo, sinceOld, tenantNames, WRITTEN } from './ages.ts'
import { newFolder, testService, type TestService } from '../support/service.ts'

const definitions = withInternal(loadDefinitions([join(import.meta.dirname, '..', '..', 'definitions')]))

const settings = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' }

const PARTS = {
  events: /^events\.db/,
  readModels: /^read-models-.*/,
  warehouse: /^warehouse$/,
  outbox: /^webhooks\.db/,
} as const
type Part = keyof typeof PARTS

const remove = (folder: string, part: Part) => {
  for (const name of readdirSync(folder))
    if (PARTS[part].test(name)) rmSync(join(folder, name), { recursive: true })
}
const copy = (from: string, to: string, part: Part) => {
  remove(to, part)
  for (const name of readdirSync(from))
    if (PARTS[part].test(name)) cpSync(join(from, name), join(to, name), { recursive: true })
}

describe('a folder of which parts are of another time', function () {
  this.timeout(60_000)
  let service: TestService
  let receiver: Receiver
  /** Of the last write. */
  let position: string
  /** Of two states of one store, and of what became of the earlier one elsewhere. */
  const states = { old: newFolder(), new: newFolder(), branched: newFolder() }

  const sent = sentTo(() => receiver)
  const write = async (name: keyof typeof WRITTEN) => {
    for (let i = 1; i <= WRITTEN[name]; i++) {
      const { headers } = await service.post('tenant', { Name: `${name} ${i}` })
      position = headers.get('Daybook-Position')!
    }
  }
  const keep = async (folder: string) => {
    // The warehouse may be behind when the service stops.
    await inWarehouse(position)
    await service.stop()
    cpSync(service.dataDir, folder, { recursive: true })
  }
  const inWarehouse = async (atLeast: string) => {
    const Sql = 'SELECT Name FROM wh_Leasing_Tenant ORDER BY Name'
    const answer = await service.post('warehouse/query', { Sql }, { 'Daybook-At-Least': atLeast })
    expect(answer.status, answer.text).to.equal(200)
    return (answer.data as unknown as { Rows: unknown[][] }).Rows.map(([name]) => name)
  }

  before(async () => {
    receiver = await startReceiver()
    service = await testService({ settings })
    const webhook = { Url: `${receiver.url}/`, Events: ['tenant.created'] }
    expect((await service.post('webhooks', webhook)).status).to.equal(201)
    await write('before')
    await receiver.got(3)
    await keep(states.old)
    await service.restart()
    await write('lost')
    await receiver.got(8)
    await keep(states.new)
    for (const part of ['events', 'readModels', 'warehouse', 'outbox'] as const)
      copy(states.old, service.dataDir, part)
    await service.restart()
    await write('elsewhere')
    await keep(states.branched)
  })
  after(async () => {
    await service.discard()
    await receiver.stop()
    for (const folder of Object.values(states)) rmSync(folder, { recursive: true, force: true })
  })

  const ages = ['old', 'new'] as const
  for (const events of ['old', 'new', 'branched'] as const)
    for (const readModels of ages)
      for (const warehouse of ages)
        it(`shows what the events say: events ${events}, read models ${readModels}, warehouse ${warehouse}`, async () => {
          await service.stop()
          copy(states[events], service.dataDir, 'events')
          copy(states[readModels], service.dataDir, 'readModels')
          copy(states[warehouse], service.dataDir, 'warehouse')
          copy(states.old, service.dataDir, 'outbox')
          const logged = service.logged.length
          await service.restart()

          expect(await tenantNames(service)).to.deep.equal(HELD[events])
          const created = await service.post('tenant', { Name: 'a new one' })
          expect([created.status, created.headers.get('Daybook-Read-Lag')]).to.deep.equal([201, null])
          expect((await service.get(`tenant/${created.data.Id}`)).status).to.equal(200)
          expect(await tenantNames(service)).to.deep.equal(['a new one', ...HELD[events]])
          expect(await inWarehouse(created.headers.get('Daybook-Position')!)).to.deep.equal([
            'a new one',
            ...HELD[events],
          ])
          const of = (age: string) => age === 'new' && events !== 'new'
          const said = () => service.logged.slice(logged).map(({ message }) => message)
          expect(said().filter((message) => /read models.*another log/.test(message))).to.have.length(
            Number(of(readModels)),
          )
          expect(said().filter((message) => /warehouse.*another log/.test(message))).to.have.length(
            Number(of(warehouse)),
          )

          await service.stop()
          const what = { dataDir: service.dataDir, definitions }
          expect((await verifyReadModels(what)).differences).to.deep.equal([])
          expect((await verifyWarehouse(what)).differences).to.deep.equal([])
        })

  const put = async (events: keyof typeof states, outbox: 'old' | 'new') => {
    await service.stop()
    for (const part of ['events', 'readModels', 'warehouse'] as const)
      copy(states[events], service.dataDir, part)
    copy(states[outbox], service.dataDir, 'outbox')
    sent.begin()
  }
  for (const [events, outbox] of [
    ['old', 'old'],
    ['new', 'old'],
    ['branched', 'old'],
    ['new', 'new'],
  ] as const)
    it(`sends on where it was: events ${events}, outbox ${outbox}`, async () => {
      await put(events, outbox)
      await service.restart(settings)
      await service.create('tenant', { Name: 'a new one' })
      await sent.is('a new one', ...(outbox === 'old' ? sinceOld(events) : []))
      expect(await heldBy(service)).to.equal('')
    })

  for (const events of ['old', 'branched'] as const)
    for (const choice of ['resend', 'skip'] as const)
      it(`sends nothing until it is decided what, then goes on: events ${events}, outbox new, ${choice}`, async () => {
        await put(events, 'new')
        const logged = service.logged.length
        await service.restart(settings)
        await expectHeld(service, sent, logged)

        await service.restart({ ...settings, WEBHOOKS_AFTER_RESTORE: choice })
        expect(await heldBy(service)).to.equal('')
        await service.create('tenant', { Name: 'a new one' })
        await sent.is('a new one', ...(choice === 'resend' ? ['while it is held', ...sinceOld(events)] : []))
      })

  for (const [what, leave] of [
    ['missing', () => {}],
    ['empty', (folder: string) => writeFileSync(join(folder, 'events.db'), '')],
  ] as const)
    it(`is refused when its event file is ${what}, and nothing is founded in its place`, async () => {
      await service.stop()
      for (const part of ['readModels', 'warehouse', 'outbox'] as const)
        copy(states.new, service.dataDir, part)
      for (const part of ['readModels', 'warehouse', 'outbox'] as const) {
        remove(service.dataDir, 'events')
        leave(service.dataDir)
        const refused = await service.restart().then(
          () => 'started',
          (error: Error) => error.message,
        )
        expect(refused)
          .to.include(join(service.dataDir, 'events.db'))
          .and.to.include('built from events up to')
        remove(service.dataDir, part)
      }
      // Without a trace of events it is a new store.
      remove(service.dataDir, 'events')
      await service.restart()
      expect(await tenantNames(service)).to.deep.equal([])
    })
})
