/** Step 1 of an import: the file is read once, its rows are staged, and a mapping is found or asked for. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Fields, Json } from '../../domain/json.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Import, ReadFile } from '../import.ts'
import { columnQuestions, unusedAssigned } from '../mapping/check-mapping.ts'
import { passedOver } from '../mapping/assigned-columns.ts'
import { decideFormats } from '../mapping/decide-formats.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { proposeMapping } from '../mapping/propose.ts'
import { openStaged } from '../staging/staged-rows.ts'
import { changeImport, readOptionsOf, type ImportWork } from '../work.ts'

/** @throws FileRefused with what is wrong with the file */
export async function readStep(work: ImportWork, whole: Import): Promise<Import> {
  const { read, type } = await stageFileOf(work, whole)
  const definition = work.definitions.get(whole.object)!
  const given = whole.mapping && Object.keys(whole.mapping.Fields).length > 0 ? whole.mapping : undefined
  const proposal = given
    ? { mapping: given, questions: columnQuestions(definition, given, read.Columns) }
    : proposeMapping(definition, read.Columns, whole.mapping?.Mode)
  const staged = await openStaged(work.files, whole.company, read)
  const mapped = { ...proposal.mapping, ...whole.mapping, Fields: proposal.mapping.Fields }
  const decided = decideFormats(definition, mapped, read.Columns, staged.findings)
  const questions = [...proposal.questions, ...decided.questions, ...keyQuestions(mapped)]
  const notices = [...read.Notices, ...passedOver(unusedAssigned(definition, mapped, read.Columns))]
  const now = timestampOf(work.clock.now())
  return changeImport(work, whole, {
    Read: { ...read, Notices: notices } as unknown as Json,
    ReadAt: now,
    File: { ...(whole.fields['File'] as Fields), Type: type },
    Mapping: decided.mapping,
    ...(questions.length > 0
      ? { State: 'NeedsMapping', Questions: questions as unknown as Json }
      : { MappedAt: now, Questions: null }),
  })
}

function keyQuestions({ Mode, KeyField, Fields }: Mapping) {
  if (Object.keys(Fields).length === 0)
    return [{ Field: null, Column: null, Question: 'no column has the name of a field: map the columns' }]
  if (Mode === 'create' || KeyField !== undefined) return []
  return [
    { Field: null, Column: null, Question: `name the KeyField by which rows to ${Mode} are recognized` },
  ]
}

async function stageFileOf(work: ImportWork, whole: Import): Promise<{ read: ReadFile; type: string }> {
  const { company, sha256 = '' } = whole
  const folder = await work.scratch()
  try {
    const [path, target] = [join(folder, 'file'), join(folder, 'staged')]
    const bytes = await work.files.open(company, sha256)
    if (!bytes) throw new Error(`the file of ${whole.key} is not kept any more`)
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 }))
    const found = await work.stage({ path, target, options: readOptionsOf(whole) })
    const kept = await work.files.put(company, createReadStream(target), Infinity)
    const { sheet = null, sheets = [] } = found.facts ?? {}
    const read: ReadFile = {
      Staged: kept.sha256,
      IndexAt: found.indexAt,
      Rows: found.rows,
      Columns: found.columns,
      Sheet: sheet,
      HiddenSheets: sheets.filter(({ hidden }) => hidden).map(({ name }) => name),
      Notices: found.notices,
    }
    return { read, type: found.format }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
