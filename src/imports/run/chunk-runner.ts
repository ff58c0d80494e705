/** What check and commit share: the rows of an import by chunks, run as somebody with the rights of this moment. */
import type { Caller, DryRun } from '../../commands/command.ts'
import { Forbidden } from '../../domain/errors.ts'
import type { Import } from '../import.ts'
import { openStaged, type StagedRows } from '../staging/staged-rows.ts'
import { callerOf, loadImport, quietOf, type ImportWork } from '../work.ts'
import { rowIdentities } from './corrections.ts'
import { importLookups, type LookupsOptions } from './lookups.ts'
import type { RowCaller, RunRows } from './run-rows.ts'

/** For read models that lag behind. */
const LONGEST_WAIT_MS = 30_000

export interface Run {
  readonly staged: StagedRows
  readonly options: RunRows
  /** @throws Forbidden when the import is not granted any more */
  as(isFirst: boolean): Promise<RowCaller>
}

export interface RunOptions
  extends Pick<LookupsOptions, 'wouldBeThere'>, Pick<RunRows, 'duplicateOf' | 'twinOf'> {
  readonly dryRun?: DryRun
}

export async function openRun(
  work: ImportWork,
  whole: Import,
  { duplicateOf, twinOf, dryRun, wouldBeThere }: RunOptions,
): Promise<Run> {
  const { company, object, key } = whole
  const definition = work.definitions.get(object)!
  const staged = await openStaged(work.files, company, whole.read!)
  const load = (of: string, other: string) => loadImport(work, of, other)
  // Rows whose lookups are not shown even then are refused, and can be retried.
  const caughtUp = async () => void (await work.readModels.reached(await work.events.head(), LONGEST_WAIT_MS))
  const options: RunRows = {
    importKey: key,
    definition,
    mapping: whole.mapping!,
    columns: whole.read!.Columns,
    write: work.write,
    ownerOf: work.ownerOf,
    lookups: importLookups({ ...work, object, caughtUp, wouldBeThere }),
    identities: rowIdentities(whole, whole.committedAt ?? work.clock.now(), load),
    duplicateOf,
    twinOf,
    pace: work.pace,
  }
  const base: Caller = { ...callerOf(work, whole), ...quietOf(whole), ...(dryRun && { dryRun }) }
  return {
    staged,
    options,
    async as(isFirst) {
      const access = await work.accessOf(company, whole.by)
      const grant = access?.grant(object, 'import')
      if (!access || !grant) throw new Forbidden(`import ${object} is not granted any more to ${whole.by}`)
      const caller = { ...base, grant, reads: (of: string) => access.grant(of, 'read') }
      return { caller, updating: access.grant(object, 'update'), isFirst }
    },
  }
}
