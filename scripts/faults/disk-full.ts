/**
 * `node scripts/faults/disk-full.ts [--seconds 60] [--clients 16] [--seed n]`: fills the disk under a service that is
 * written to, keeps it full, and frees it again. Needs root. Exit codes as those of `power-cut.ts`.
 */
import { diskFull } from '../../test/faults/disk-full.ts'
import { whyNoLoopFilesystem } from '../../test/faults/loop-filesystem.ts'
import { numbersFromArguments } from './arguments.ts'

const { seconds, clients, seed } = numbersFromArguments({
  seconds: 60,
  clients: 16,
  seed: Date.now() % 1_000_000,
})
const why = whyNoLoopFilesystem('ext4')
if (why !== undefined) {
  console.log(`This cannot be done here: ${why}`)
  process.exitCode = 2
} else {
  console.log(`${seconds} s without space, ${clients} clients, seed ${seed}`)
  const report = await diskFull({ clients, seed, fullMs: seconds * 1_000 })
  console.log(`${report.acknowledged} writes acknowledged, ${report.refused} refused, ${report.reads} reads`)
  console.log(`the first write after there was space again: ${Math.round(report.resumedMs)} ms`)
  for (const fault of report.faults.slice(0, 50)) console.log(`FAULT ${fault}`)
  if (report.faults.length > 0 || report.resumedMs > 5_000) process.exitCode = 1
}
