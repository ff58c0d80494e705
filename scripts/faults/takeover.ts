/**
 * `node scripts/faults/takeover.ts [--kills 5]`: kills the leading process of the role `projections`, then that of `webhooks`, so
 * many times each, and prints how long it took until the other did its work. Exit code 1 when it was over 10 s.
 *
 * Needs FerretDB and RabbitMQ: npm run engines:install
 */
import { withFolder } from '../../test/faults/ledger/service-process.ts'
import { takeovers, type Takeovers } from '../../test/faults/takeover.ts'
import { numbersFromArguments } from './arguments.ts'

const MOST_S = 10

const { kills } = numbersFromArguments({ kills: 5 })
const took: Takeovers = await withFolder((folder) => takeovers({ folder, kills }))
for (const [role, times] of Object.entries(took) as [string, readonly number[]][]) {
  const seconds = times.map((ms) => ms / 1_000).toSorted((a, b) => a - b)
  const [median, longest] = [seconds[Math.floor(seconds.length / 2)]!, seconds.at(-1)!]
  const missed = longest > MOST_S ? ': MISSED' : ''
  console.log(
    `${role}: ${times.length} kills, taken over after ${median.toFixed(1)} s (median), ${longest.toFixed(1)} s at the most (goal: ${MOST_S} s${missed})`,
  )
  if (missed) process.exitCode = 1
}
