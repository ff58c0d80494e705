import { expect } from 'chai'
import { installedVersion } from '../engines/rabbitmq/binary.ts'
import { NOT_TESTED } from '../engines/rabbitmq-under-test.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { brokerFaults } from './broker.ts'
import { withFolder } from './ledger/service-process.ts'

const hasBroker = (await installedVersion()) !== undefined
const suite = suiteOf('a RabbitMQ that fails under the service', hasBroker ? undefined : NOT_TESTED)

suite('a RabbitMQ that is killed, emptied, without its queue, and blocked, under the service', () => {
  it('costs no write and no webhook, and is told of', () =>
    withFolder(async (dataDir) => {
      const outcome = await brokerFaults({ dataDir, kills: 1, blockedMs: 6_000, pauseMs: 20 })
      expect(outcome.refused).to.deep.equal([])
      expect(outcome.acknowledged).to.be.above(50)
      expect(outcome.lost).to.deep.equal([])
      expect(outcome.alarms).to.contain('there is no connection to RabbitMQ')
      expect(outcome.alarms).to.contain('RabbitMQ takes no messages for now')
    })).timeout(120_000)
})
