/**
 * `node scripts/faults/syncs.ts [--rounds 100] [--records 1000] [--files 30] [--seed 1]`: kills the service while an integration polls
 * and sends, and as often as `files` says while files of a WebDAV server change. Exit code 1, with the data folder left for inspection,
 * when something was lost or is there twice.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missing } from '../../test/engines/wsgidav/binary.ts'
import { fileRounds } from '../../test/faults/file-rounds.ts'
import { syncRounds } from '../../test/faults/sync-rounds.ts'
import { numbersFromArguments } from './arguments.ts'

const { rounds, records, files, seed } = numbersFromArguments({
  rounds: 100,
  records: 1_000,
  files: 30,
  seed: 1,
})
const folder = mkdtempSync(join(tmpdir(), 'daybook-syncs-'))
const onRound = (line: string) => console.log(line)
const faults = [...(rounds > 0 ? await recordsBothWays() : []), ...(files > 0 ? await documents() : [])]
for (const fault of faults) console.log(`FAULT ${fault}`)
if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
else process.exitCode = 1

async function recordsBothWays(): Promise<readonly string[]> {
  console.log(`${rounds} kills while ${records} records are polled and ${2 * records} are sent, in ${folder}`)
  const { faults, repeats, seconds } = await syncRounds({
    dataDir: join(folder, 'data'),
    definitionsDir: join(folder, 'definitions'),
    records,
    kills: rounds,
    patienceMs: 600_000,
    onRound,
  })
  const result = faults.length === 0 ? '0 lost, 0 doubled' : 'broken'
  console.log(`${result}; ${repeats} requests were made again, in ${Math.round(seconds)} s`)
  return faults
}

async function documents(): Promise<readonly string[]> {
  if (missing !== undefined) {
    console.log(`without files of a WebDAV server: ${missing}`)
    return []
  }
  console.log(`${files} kills while files of a WebDAV server change and are polled, in ${folder}`)
  const report = await fileRounds({
    dataDir: join(folder, 'data-of-files'),
    definitionsDir: join(folder, 'definitions-of-files'),
    kills: files,
    seed,
    patienceMs: 120_000,
    onRound,
  })
  const result = report.faults.length === 0 ? 'each is here once' : 'broken'
  console.log(
    `${report.files} files after ${report.changes} changes: ${result}, in ${Math.round(report.seconds)} s`,
  )
  return report.faults
}
