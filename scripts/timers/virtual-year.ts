/**
 * `node scripts/timers/virtual-year.ts [--records 10000] [--days 400] [--seed 1]`: timers of records whose dates change, with deletes,
 * restores, moves to other time zones, restarts and days of standstill, against an oracle that knows none of the code. Exit code 1
 * when a timer fired that should not have, did not fire, or fired out of order.
 */
import { virtualYear } from '../../test/timers/virtual-year.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const { records, days, seed } = numbersFromArguments({ records: 10_000, days: 400, seed: 1 })
const began = performance.now()
const { fired, expected, again, inOrder } = await virtualYear({ records, days, seed })
const missing = [...expected].filter(([name]) => !fired.has(name))
const early = [...fired].filter(([name, at]) => expected.get(name) !== at)
console.log(
  `${records} records, ${days} days, seed ${seed}: ${expected.size} due, ${fired.size} fired, ${missing.length} missing, ` +
    `${early.length} at another time, ${again} again${inOrder ? '' : ', out of order'}; ${Math.round((performance.now() - began) / 1_000)} s`,
)
for (const [name] of [...missing, ...early].slice(0, 10)) console.log(`FAULT ${name}`)
if (missing.length + early.length > 0 || !inOrder) process.exitCode = 1
