/**
 * `node scripts/webhooks/zoo.ts [--deliveries 100000] [--kills 20]`: a zoo of misbehaving receivers, and kills of the service
 * in between (W1). Exit code 1 when something is missing, came too often, or went where it must not.
 */
import { withFolder } from '../../test/faults/ledger/service-process.ts'
import { zooRounds } from '../../test/webhooks/zoo-rounds.ts'
import { RECOVERING } from '../../test/webhooks/zoo.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const { deliveries, kills } = numbersFromArguments({ deliveries: 100_000, kills: 20 })
const events = Math.ceil(deliveries / RECOVERING.length)
const report = await withFolder((dataDir) =>
  zooRounds({ dataDir, events, kills, patienceMs: 900_000, onRound: console.log }),
)
for (const fault of report.faults) console.log(`FAULT ${fault}`)
console.log(
  `${report.deliveries} deliveries to ${RECOVERING.length} receivers that recover, ${kills} kills, ${report.seconds.toFixed(0)} s: ` +
    `${report.faults.length} faults, ${report.duplicates} came twice`,
)
if (report.faults.length > 0) process.exitCode = 1
