/** A thread that answers requests dies: the others go on, and it is started again. And all of them end as one. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { connections, type Connection } from '../support/connections.ts'
import { startService, withFolder } from './ledger/service-process.ts'

const preload = fileURLToPath(new URL('./preload/dying-reader.ts', import.meta.url))
const settings = { WORKERS: '3' }

describe('one of three threads that answer requests', function () {
  this.timeout(120_000)

  it('dies, loses its own connections alone, and is started again', () =>
    withFolder(async (dataDir) => {
      const dying = join(dataDir, 'die')
      process.env['DYING_READER'] = dying
      const service = await startService({ dataDir, settings, preload })
      const headers = { Authorization: `Bearer ${service.token}` }
      const all = connections(service.url, 48)
      const acknowledged: string[] = []
      const create = async (by: Connection, Name: string) => {
        const answer = await by.send('POST', 'tenant', { headers, body: { Name } })
        expect(answer.status, answer.text).to.equal(201)
        acknowledged.push((answer.json['Data'] as { Id: string }).Id)
      }
      await Promise.all(all.map((one, i) => create(one, `before ${i}`)))

      writeFileSync(dying, '')
      const lost = new Set<Connection>()
      // Requests go on until the thread has died; what is cut off is neither known to be done nor not to be.
      for (let i = 0; !service.output().includes('it is started again'); i++)
        await Promise.all(
          all
            .filter((one) => !lost.has(one))
            .map((one) => create(one, `while ${i}`).catch(() => lost.add(one))),
        )
      expect(lost.size, 'connections that were lost').to.be.within(1, all.length - 1)
      // A connection that was lost is opened again: by the kernel's choice, to a thread that is there.
      const kept = await Promise.all(all.map((one) => one.get('tenant?pageSize=1', headers)))
      expect(new Set(kept.map(({ status }) => status))).to.deep.equal(new Set([200]))
      for (const Id of acknowledged)
        expect((await all[0]!.get(`tenant/${Id}`, headers)).status, Id).to.equal(200)

      // The one that was started in its place dies again: so it was there.
      const deaths = () => service.output().split('it is started again').length - 1
      await delay(1_500)
      writeFileSync(dying, '')
      while (deaths() < 2) await delay(50)
      expect((await all[0]!.get('tenant', headers)).status).to.equal(200)
      all.forEach((one) => one.close())
      expect(await service.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
    }))

  it('finishes what is under way when the service is to stop, and then takes no more', () =>
    withFolder(async (dataDir) => {
      const service = await startService({ dataDir, settings })
      const headers = { Authorization: `Bearer ${service.token}` }
      const all = connections(service.url, 48)
      await Promise.all(all.map((one) => one.get('tenant', headers)))
      const written = all.map((one, i) =>
        one.send('POST', 'tenant', { headers, body: { Name: `last ${i}` } }),
      )
      await Promise.race(written)
      const ended = service.end('SIGTERM')
      const outcomes = await Promise.allSettled(written)
      expect(await ended).to.deep.equal({ code: 0, signal: null })
      const made = outcomes.flatMap((one) =>
        one.status === 'fulfilled' && one.value.status === 201
          ? [(one.value.json['Data'] as { Id: string }).Id]
          : [],
      )
      expect(made).to.have.length.above(0)
      // Refused, made, or not begun; never cut off on the way: an answer of another kind would be that.
      for (const one of outcomes)
        if (one.status === 'fulfilled') expect(one.value.status).to.be.oneOf([201, 503])
      all.forEach((one) => one.close())

      const again = await startService({ dataDir, settings })
      const [reading] = connections(again.url, 1)
      for (const Id of made) expect((await reading!.get(`tenant/${Id}`, headers)).status, Id).to.equal(200)
      expect(
        ((await reading!.get('tenant', headers)).json['Pagination'] as unknown as { TotalRecords: number })
          .TotalRecords,
      ).to.be.at.least(made.length)
      reading!.close()
      await again.end('SIGTERM')
    }))
})
