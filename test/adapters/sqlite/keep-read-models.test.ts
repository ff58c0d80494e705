/** The embedded read models as the engine thread keeps them: a rebuild that cannot catch up. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { openEventLog } from '../../../src/adapters/sqlite/events/event-log.ts'
import type { FromEngine } from '../../../src/adapters/sqlite/events/engine-messages.ts'
import { logSignal, subscription } from '../../../src/adapters/sqlite/events/subscription.ts'
import { Checkpoints } from '../../../src/adapters/sqlite/files/checkpoints.ts'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import {
  keepReadModels,
  type KeptReadModelsOptions,
} from '../../../src/adapters/sqlite/read-models/keep-read-models.ts'
import type { RebuildData } from '../../../src/compose/threads/rebuild.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { testService } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'

const definitions = withInternal(
  loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')]),
)

describe('a rebuild that cannot take an event which is served already', function () {
  this.timeout(60_000)

  it('fails and says why; what is served is followed on', async () => {
    const service = await testService()
    const { Id } = await service.create('tenant', { Name: 'Ada' })
    await service.stop()
    const { dataDir } = service
    const log = openEventLog(join(dataDir, 'events.db'))
    const created = log.readAll(0, 1_000).find(({ stream }) => stream === Id)!
    const position = log.head() + 1
    /** Later than all that a rebuild reads from the file. */
    const later: RecordedEvent = { ...created, position, version: 2, type: 'tenant.updated' }
    const signal = logSignal()
    let subscriptions = 0
    const source: KeptReadModelsOptions['source'] = {
      read: async (company, stream, after = 0) => log.read(company, stream, after),
      head: async () => position,
      subscribe(after) {
        const isRebuilt = ++subscriptions === 2
        const last = isRebuilt ? { ...later, unreadable: 'it is damaged' } : later
        const read = (from: number, limit: number) => [
          ...log.readAll(from, limit),
          ...(from < position ? [last] : []),
        ]
        return subscription({ after, read, signal })
      },
    }
    const checkpoints = new Checkpoints({ onFsyncFailure: () => {} })
    const said: FromEngine[] = []
    const models = keepReadModels({
      dataDir,
      definitions,
      source,
      builder: (path) =>
        new Worker(new URL('../../../src/compose/threads/rebuild.ts', import.meta.url), {
          workerData: { dataDir, definitions: [...definitions.values()], path } satisfies RebuildData,
        }),
      checkpoints,
      say: (message) => void said.push(message),
    })
    const standing = () => {
      const last = said.findLast((message) => message.kind === 'projected')
      return last?.kind === 'projected' ? last.statuses : []
    }
    const isServed = () =>
      eventually('all is served', async () =>
        expect(standing().map((status) => [status.state, status.position])).to.deep.equal([
          ['live', position],
          ['live', position],
        ]),
      )
    try {
      await models.start()
      await isServed()
      models.rebuild()
      await eventually('it fails', async () =>
        expect(
          said
            .filter(({ kind }) => kind === 'trouble')
            .map((one) => JSON.stringify(one))
            .join(),
        ).to.include('could not be rebuilt'),
      )
      expect(JSON.stringify(said)).to.include('it is damaged')
      await isServed()
      expect(subscriptions, 'one of what is served, one of the rebuild').to.equal(2)
    } finally {
      signal.close()
      await checkpoints.stop()
      await models.close()
      log.close()
      await service.discard()
    }
  })
})
