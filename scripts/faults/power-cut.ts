/**
 * `node scripts/faults/power-cut.ts [--rounds 100] [--clients 16] [--seed n]`: cuts the power under a service that is
 * written to, on ext4 and on XFS, and then, as a negative control, without waiting for the disk. Needs root.
 *
 * Exit code 0: nothing was lost, and the control has lost. 1: a promise was broken, or the control shows that the cut
 * would not have told. 2: it cannot be done here.
 */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { saveLedger } from '../../test/faults/ledger/ledger.ts'
import { whyNoLoopFilesystem, type FilesystemType } from '../../test/faults/loop-filesystem.ts'
import { powerCuts } from '../../test/faults/power-cut.ts'
import { readyTimes } from '../../test/faults/ledger/statistics.ts'
import { numbersFromArguments } from './arguments.ts'

const CONTROL_ROUNDS = 10

const numbers = numbersFromArguments({ rounds: 100, clients: 16, seed: Date.now() % 1_000_000 })
let broken = false
let done = 0
for (const filesystem of ['ext4', 'xfs'] as const) {
  const why = whyNoLoopFilesystem(filesystem)
  if (why === undefined) {
    broken = !(await promised(filesystem)) || broken
    broken = !(await control(filesystem)) || broken
    done++
  } else console.log(`${filesystem}: cannot be done here: ${why}`)
}
process.exitCode = broken ? 1 : done === 0 ? 2 : 0

async function promised(filesystem: FilesystemType): Promise<boolean> {
  const { rounds, clients, seed } = numbers
  console.log(`${filesystem}: ${rounds} cuts, ${clients} clients, seed ${seed}`)
  const onRound = (round: number) => {
    if (round % 10 === 0) console.log(`  ${round} done`)
  }
  const report = await powerCuts({ filesystem, rounds, clients, seed, onRound })
  console.log(`  ${report.acknowledged} writes acknowledged; ${readyTimes(report.readyMs)}`)
  if (report.faults.length === 0) {
    console.log('  nothing was lost')
    return true
  }
  for (const fault of report.faults.slice(0, 50)) console.log(`  FAULT ${fault}`)
  const path = join(tmpdir(), `daybook-power-cut-${filesystem}-${seed}`)
  saveLedger(report.ledger, `${path}.ledger.jsonl`)
  writeFileSync(`${path}.faults.txt`, report.faults.join('\n'))
  console.log(`  The ledger is ${path}.ledger.jsonl, all faults are in ${path}.faults.txt.`)
  return false
}

async function control(filesystem: FilesystemType): Promise<boolean> {
  const { clients, seed } = numbers
  const report = await powerCuts({ filesystem, rounds: CONTROL_ROUNDS, clients, seed, withoutSync: true })
  const lost = report.faults.filter((fault) => fault.includes('LOST')).length
  console.log(
    lost > 0
      ? `  the control, without waiting for the disk, lost ${lost} acknowledged writes in round ${report.rounds}`
      : `  THE CONTROL HAS LOST NOTHING in ${report.rounds} rounds: the cuts prove nothing here`,
  )
  return lost > 0
}
