/** An undo begins as an import of its own: checked, committed, and undone in its turn. */
import type { Caller } from '../../commands/command.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { readBody } from '../../shapes/body.ts'
import { undoOptions } from '../bodies.ts'
import { DEFAULT_OPTIONS, type CommitOptions, type Import } from '../import.ts'
import { importDefinition } from '../objects.ts'
import { loadImport, type ImportWork } from '../work.ts'
import { mustBeUndoable } from './original.ts'

export type UndoOptions = Pick<CommitOptions, 'Conflicts' | 'Commit'>

/** @throws Conflict where there is nothing that can be undone */
export async function beginUndo(
  work: ImportWork,
  caller: Caller,
  original: Import,
  options: UndoOptions,
): Promise<Import> {
  const { company, key, object, state } = original
  // Asked once more while it is being undone: that is the undo.
  if (state === 'Undoing') return (await loadImport(work, company, original.fields['UndoneBy'] as string))!
  mustBeUndoable(original)
  const { actor, person } = caller
  const body: Fields = {
    Kind: 'undo',
    Object: object,
    State: 'Reading',
    Undoes: key,
    StateBefore: state,
    Options: { ...DEFAULT_OPTIONS, ...options },
    By: actor,
    Person: person ?? actor,
  }
  const written = await work.write.create(
    { ...caller, grant: undefined },
    { definition: importDefinition, body, importing: true },
  )
  return (await loadImport(work, company, written.key))!
}

/** What undoing it takes: to delete what it created, to set back what it changed, and both for what an undo did. */
export function actionsOfUndo({ kind, counts, mapping }: Import): readonly ('delete' | 'update')[] {
  if (kind === 'undo') return ['delete', 'update']
  const mayCreate = counts ? counts.Created > 0 : mapping?.Mode !== 'update'
  const mayUpdate = counts ? counts.Updated > 0 : mapping?.Mode !== 'create'
  return [...(mayCreate ? (['delete'] as const) : []), ...(mayUpdate ? (['update'] as const) : [])]
}

/** @throws Invalid for what an undo does not take */
export const readUndoOptions = (body: Json | undefined): UndoOptions =>
  readBody(undoOptions, body ?? {}, 'The options are not valid.')
