/**
 * `node scripts/load/projections.ts [--companies 64] [--delay 5] [--events 256] [--processes 3]`: how many events a second one
 * projections process applies, and how many so many do that share the work, with a delay in ms added to each call of the
 * stores. Exit code 1 when they apply less than 2.2 times as many.
 *
 * The stores are the stand-ins of the tests, on the same machine: where it is busy, or the stand-in of MongoDB computes for
 * most of the time, that bounds them all. What the processes have computed stands beside the figures.
 *
 * Needs FerretDB: npm run engines:install
 */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { withFolder } from '../../test/faults/ledger/service-process.ts'
import { startProjectors } from '../../test/faults/projectors.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const GOAL = 2.2
/** Of the clock in /proc, a second. */
const TICKS = 100

const { companies, delay, events, processes } = numbersFromArguments({
  ...{ companies: 64, delay: 5, events: 256, processes: 3 },
})

function computedSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

const perSecond = (count: number) =>
  withFolder(async (folder) => {
    const projectors = await startProjectors({ folder, companies, delayMs: delay })
    try {
      for (let n = 0; n < count; n++) await projectors.start()
      await projectors.shared(count)
      await projectors.until(await projectors.tell(1))
      const pids = [...projectors.running.keys(), projectors.mongoPid]
      const before = pids.map(computedSeconds)
      const begin = performance.now()
      let last = 0
      const rounds = Math.ceil(events / companies)
      for (let round = 1; round <= rounds; round++) last = await projectors.tell(round + 1)
      const told = (performance.now() - begin) / 1_000
      await projectors.until(last)
      const seconds = (performance.now() - begin) / 1_000
      const computed = pids.map((pid, n) => computedSeconds(pid) - before[n]!)
      const rate = (rounds * companies) / seconds
      console.log(
        `${count} processes: ${rate.toFixed(0)} events a second, ${rounds * companies} in ${seconds.toFixed(1)} s (appended in ${told.toFixed(1)} s). ` +
          `Computed: ${computed
            .slice(0, -1)
            .map((one) => one.toFixed(1))
            .join(
              ' + ',
            )} s, the stand-in of MongoDB ${computed.at(-1)!.toFixed(1)} s. Load ${loadavg()[0]!.toFixed(0)}`,
      )
      return rate
    } finally {
      await projectors.stop()
    }
  })

const one = await perSecond(1)
const several = await perSecond(processes)
const isMissed = several < one * GOAL
console.log(
  `${processes} processes apply ${(several / one).toFixed(2)} times as many${isMissed ? ': MISSED' : ''}`,
)
if (isMissed) process.exitCode = 1
