/**
 * `node scripts/timers/virtual-year.ts [--records 10000] [--days 400] [--seed 1] [--mails 3]`: timers of records whose dates change, with deletes,
 * restores, moves to other time zones, restarts and days of standstill, against an oracle that knows none of the code. With `--mails`
 * they are reminders that are at most so many days late, and their mails are compared, too. Exit code 1 when a timer or a mail was not
 * what it should have been, or came out of order.
 */
import { virtualYear } from '../../test/timers/virtual-year.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const {
  records,
  days,
  seed,
  mails: late,
} = numbersFromArguments({ records: 10_000, days: 400, seed: 1, mails: 0 })
const began = performance.now()
const { fired, expected, again, inOrder, mails, taken } = await virtualYear({
  records,
  days,
  seed,
  ...(late > 0 && { catchUpDays: late }),
})
const missing = [...expected].filter(([name]) => !fired.has(name))
const early = [...fired].filter(([name, at]) => expected.get(name) !== at)
console.log(
  `${records} records, ${days} days, seed ${seed}: ${expected.size} due, ${fired.size} fired, ${missing.length} missing, ` +
    `${early.length} at another time, ${again} again${inOrder ? '' : ', out of order'}; ${Math.round((performance.now() - began) / 1_000)} s`,
)
if (late === 0) for (const [name] of [...missing, ...early].slice(0, 10)) console.log(`FAULT ${name}`)
const unlike = [...mails.expected].filter(([name, state]) => mails.outcomes.get(name) !== state)
const unasked = [...mails.outcomes].filter(([name]) => !mails.expected.has(name))
const twice = taken.length - new Set(taken).size
if (late > 0)
  console.log(
    `mails: ${mails.expected.size} due, ${taken.length} taken, ${[...mails.outcomes.values()].filter((state) => state === 'skipped').length} skipped ` +
      `as more than ${late} days late; ${unlike.length} not as they should be, ${unasked.length} unasked for, ${twice} taken twice`,
  )
for (const [name] of [...unlike, ...unasked].slice(0, 10)) console.log(`FAULT mail ${name}`)
// Timers of what is long over fire, and their mails are not written: they are compared by their mails.
const faults = late > 0 ? unlike.length + unasked.length + twice : missing.length + early.length
if (faults > 0 || !inOrder) process.exitCode = 1
