/**
 * The feed of changes while everything happens to it: clients write, read models are built anew, the process is killed, also
 * in the middle of building, and what was built is thrown away. Who follows the feed is told each change once, in the order
 * of the commits, and in the end knows every record as it is.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { readEventFile } from './event-file.ts'
import { httpClient, type HttpClient, type HttpRequest } from './http-client.ts'
import { seededRandom } from './random.ts'
import { startService, withFolder, type ServiceProcess } from './service-process.ts'

interface Item {
  readonly Id: string
  readonly Name?: string
  readonly IsDeleted?: true
}

interface Feed {
  readonly Data: readonly Item[]
  readonly Next: string
  readonly HasMore: boolean
}

const WRITERS = 6

describe('the feed of changes of a service that is killed and rebuilt', function () {
  this.timeout(180_000)

  it('tells each change once, in order, and leaves none out', () =>
    withFolder(async (dataDir) => {
      const random = seededRandom(6)
      let service: ServiceProcess
      let http: HttpClient
      const start = async () => {
        service = await startService({ dataDir })
        http = httpClient(service)
      }
      const kill = async () => {
        await service.end('SIGKILL')
        http.close()
      }
      /** The answer's JSON; undefined when there was none. */
      const ask = async (request: HttpRequest, expected: number) => {
        const answer = await http.send(request).catch(() => undefined)
        if (answer === undefined) return undefined
        if (answer.status !== expected && answer.status !== 503)
          throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.text.slice(0, 500)}`)
        return answer.status === 503 ? undefined : (JSON.parse(answer.text) as { readonly Data: Item })
      }

      let writing = true
      let count = 0
      const writer = async () => {
        const own: string[] = []
        while (writing) {
          const Name = `lead ${++count}`
          const path = '/api/v1/lead'
          const what = own.length < 3 ? 0 : random.next()
          if (what < 0.4) {
            const made = await ask({ method: 'POST', path, body: { Name } }, 201)
            if (made) own.push(made.Data.Id)
          } else if (what < 0.9) {
            const changed = `${path}/${random.pick(own)}`
            await ask({ method: 'PATCH', path: changed, body: { Name } }, 200)
          } else {
            // Once asked to, it may be gone, answered or not.
            const [gone] = own.splice(random.between(0, own.length - 1), 1)
            await ask({ method: 'DELETE', path: `${path}/${gone}` }, 200)
          }
          await delay(random.between(0, 8))
        }
      }

      const told: Item[] = []
      let pages = 0
      const reader = async () => {
        let token = ''
        for (let last = false; ;) {
          const path = `/api/v1/lead/changes?pageSize=7${token === '' ? '' : `&since=${token}`}`
          const done = !writing
          const answer = (await ask({ method: 'GET', path }, 200)) as Feed | undefined
          if (!answer) {
            await delay(20)
            continue
          }
          pages++
          told.push(...answer.Data)
          token = answer.Next
          if (answer.HasMore) continue
          if (last) return
          last = done
          await delay(5)
        }
      }

      const some = () => delay(random.between(150, 500))
      const rebuild = () => ask({ method: 'POST', path: '/api/v1/projections/records/rebuild' }, 202)
      await start()
      const clients = Promise.all([reader(), ...Array.from({ length: WRITERS }, writer)])
      let failure: unknown
      clients.catch((error: unknown) => (failure = error))
      for (let round = 0; round < 6 && !failure; round++) {
        await some()
        await rebuild()
        if (round % 2 === 0) await delay(random.between(0, 60))
        else await some()
        await kill()
        if (round === 3)
          for (const name of readdirSync(dataDir))
            if (name.startsWith('read-models-')) rmSync(join(dataDir, name))
        await start()
      }
      await some()
      writing = false
      await clients
      const events = readEventFile(join(dataDir, 'events.db')).events.filter(({ type }) =>
        type.startsWith('lead.'),
      )
      await service!.end('SIGTERM')
      http!.close()

      const named = new Map(events.map(({ data, position }) => [data['Name'], position]))
      const deleted = new Map(
        events
          .filter(({ type }) => type === 'lead.deleted')
          .map(({ stream, position }) => [stream, position]),
      )
      const positions = told.map(({ Id, Name, IsDeleted }) => (IsDeleted ? deleted.get(Id) : named.get(Name)))
      for (const [i, position] of positions.entries())
        expect(position, `item ${i}, ${JSON.stringify(told[i])}`).to.be.greaterThan(positions[i - 1] ?? 0)

      const last = new Map(events.map(({ stream, position }) => [stream, position]))
      const known = new Map(told.map(({ Id }, i) => [Id, positions[i]]))
      expect([...known].sort()).to.deep.equal([...last].sort())
      console.log(
        `        ${events.length} changes of ${last.size} records, ${told.length} told in ${pages} pages`,
      )
      expect(events.length).to.be.greaterThan(200)
    }))
})
