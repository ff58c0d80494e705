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
import { checkFeed, feedClients } from './ledger/feed.ts'
import { httpClient, type HttpClient } from './ledger/http-client.ts'
import { seededRandom } from '../support/random.ts'
import { startService, withFolder, type ServiceProcess } from './ledger/service-process.ts'
import { rounds } from '../support/rounds.ts'

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
      const some = () => delay(random.between(150, 500))

      await start()
      const clients = feedClients({ http: () => http, random, writers: 6, pauseMs: 8 })
      for (let round = 0; round < rounds(4, 6) && !clients.failure(); round++) {
        await some()
        await clients.ask({ method: 'POST', path: '/api/v1/projections/records/rebuild' }, 202)
        if (round % 2 === 0) await delay(random.between(0, 60))
        else await some()
        await kill()
        if (round === 3)
          for (const name of readdirSync(dataDir))
            if (name.startsWith('read-models-')) rmSync(join(dataDir, name))
        await start()
      }
      await some()
      await clients.finish()
      const { events } = readEventFile(join(dataDir, 'events.db'))
      await service!.end('SIGTERM')
      http!.close()

      const changes = checkFeed(clients.told, events)
      console.log(
        `        ${changes.length} changes, ${clients.told.length} told in ${clients.pages()} pages`,
      )
      expect(changes.length).to.be.greaterThan(200)
    }))
})
