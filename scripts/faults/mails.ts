/**
 * `node scripts/faults/mails.ts [--rounds 200] [--mails 1000] [--hold 1]`: kills the service while it sends mails. Exit code 1,
 * with the data folder left for inspection, when one was lost or sent twice where it must not be.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mailRounds } from '../../test/faults/mail-rounds.ts'
import { numbersFromArguments } from './arguments.ts'

const { rounds, mails, hold } = numbersFromArguments({ rounds: 200, mails: 1_000, hold: 0 })
const folder = mkdtempSync(join(tmpdir(), 'daybook-mails-'))
const ifUnsure = hold > 0 ? 'hold' : 'resend'
console.log(`${rounds} kills while ${mails} mails are sent (${ifUnsure}), in ${folder}`)
const { faults, duplicates, uncertain, seconds } = await mailRounds({
  dataDir: join(folder, 'data'),
  definitionsDir: join(folder, 'definitions'),
  mails,
  kills: rounds,
  ifUnsure,
  patienceMs: 600_000,
  onRound: (line) => console.log(line),
})
for (const fault of faults) console.log(`FAULT ${fault}`)
console.log(
  `${faults.length === 0 ? '0 lost' : 'broken'}; ${duplicates} taken twice with the same Message-ID, ${uncertain} uncertain, ` +
    `in ${Math.round(seconds)} s`,
)
if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
else process.exitCode = 1
