/**
 * `node scripts/faults/slow-engines.ts [--seconds 30] [--rate 50]`: asks a service at that pace, as it is, with every engine
 * slow by 2 s, and healed again; prints event-loop delay, memory and answers. Exit code 1 when the event loop was held up
 * for more than 50 ms (p99).
 *
 * Needs FerretDB: node test/engines/ferretdb/install.ts
 */
import { withFolder } from '../../test/faults/ledger/service-process.ts'
import { slowEngines } from '../../test/faults/slow-engines.ts'
import { numbersFromArguments } from './arguments.ts'

const { seconds, rate } = numbersFromArguments({ seconds: 30, rate: 50 })
const phases = await withFolder((dataDir) => slowEngines({ dataDir, seconds, perSecond: rate }))
for (const [name, { loopP99, megabytes, statuses, slowest }] of Object.entries(phases))
  console.log(
    `${name}: event loop p99 ${loopP99.toFixed(1)} ms, ${megabytes.toFixed(0)} MB, slowest answer ${slowest.toFixed(0)} ms, ${JSON.stringify(statuses)}`,
  )
if (phases.slow.loopP99 > 50) process.exitCode = 1
