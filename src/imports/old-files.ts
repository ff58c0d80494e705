/**
 * Files and staged rows of imports are not kept for ever: what imports hold that ended long ago is removed. What became of
 * their rows is in events, and can still be undone. Imports that wait for somebody that long are cancelled.
 */
import { PreconditionFailed } from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import { timestampOf } from '../domain/fields/dates.ts'
import { recordsOf } from './bank/run/company-records.ts'
import { importOf, isUnderWay, type Import } from './import.ts'
import { IMPORT, importDefinition } from './objects.ts'
import { changeImport, loadImport, releaseContent, type ImportWork } from './work.ts'

const OWN = new Map([[IMPORT, importDefinition]])

/**
 * @param before in ms since 1970: what ended before is old
 * @returns how many imports have their files no more
 */
export async function removeOldFiles(work: ImportWork, company: Company, before: number): Promise<number> {
  const old: string[] = []
  const inUse = new Set<string>()
  const all = recordsOf({ ...work, definitions: OWN }, company, IMPORT, 'FilesRemovedAt eq null')
  for await (const { key, version, fields } of all) {
    const state = { status: 'live', version, fields } as unknown as Parameters<typeof importOf>[2]
    const whole = importOf(company, key, state)!
    if (isUnderWay(whole) || Date.parse(fields['ModifiedAt'] as string) >= before)
      for (const sha256 of filesOf(whole)) inUse.add(sha256)
    else old.push(key)
  }
  let removed = 0
  for (const key of old)
    try {
      const whole = await loadImport(work, company, key)
      if (!whole || isUnderWay(whole)) continue
      const ended = ['NeedsMapping', 'Checked'].includes(whole.state) ? await cancelled(work, whole) : whole
      // Said first: a process that dies in between leaves bytes, and no import whose files are missing unsaid.
      await changeImport(work, ended, { FilesRemovedAt: timestampOf(work.clock.now()) })
      for (const sha256 of filesOf(ended)) if (!inUse.has(sha256)) await work.files.remove(company, sha256)
      removed++
    } catch (error) {
      // Another process does the same, or somebody goes on with it.
      if (!(error instanceof PreconditionFailed)) throw error
    }
  return removed
}

async function cancelled(work: ImportWork, whole: Import): Promise<Import> {
  const Reason = 'it was not committed for as long as files are kept'
  const changed = await changeImport(work, whole, { State: 'Cancelled', Reason })
  await releaseContent(work, changed)
  return changed
}

/** Whether what a commit needs is there: a folder of files may be of another time than the events. */
export async function hasItsRows(
  { files }: Pick<ImportWork, 'files'>,
  { company, read, check, bank }: Import,
): Promise<boolean> {
  for (const sha256 of [read?.Staged, check?.Report, bank?.Plan]) {
    if (sha256 === undefined || sha256 === '') continue
    const beginning = await files.open(company, sha256, { start: 0, end: 1 })
    if (!beginning) return false
    for await (const _ of beginning) break
  }
  return true
}

/** All that was kept for the import. */
const filesOf = ({ sha256, read, check, bank }: Import): readonly string[] =>
  [sha256, read?.Staged, check?.Report, bank?.Plan].filter(
    (one) => one !== undefined && one !== '',
  ) as string[]
