/** Imports as they are served. */
import type { Fields, Json } from '../../domain/json.ts'
import type { Checked, Import, Counts } from '../../imports/import.ts'
import { NO_COUNTS } from '../../imports/import.ts'
import { faultText, type ShownRow } from '../../imports/error-file.ts'
import { totalOf, type RowResult } from '../../imports/run/outcomes.ts'
import type { Standing } from '../../imports/run/progress.ts'
import { columnOf } from '../../imports/mapping/column-of.ts'
import { textOf } from '../../imports/mapping/values.ts'
import type { By } from '../records/actors.ts'

/** `by`: who has sent it; `standing`: where this process works on it; `counts`: what is done so far, where it is not decided yet. */
export function importAnswer(whole: Import, by: By, standing?: Standing, counts?: Counts): Fields {
  const { fields, read, file, check } = whole
  const isWriting = standing?.phase === 'commit' || standing?.phase === 'undo'
  const done = whole.counts ?? counts ?? (isWriting ? standing.counts : NO_COUNTS)
  const as = (name: string): Json => fields[name] ?? null
  return {
    Id: whole.key,
    Kind: whole.kind,
    Object: whole.object,
    State: whole.state,
    Mode: whole.mapping?.Mode ?? null,
    File: file
      ? { ...file, Sha256: as('Sha256'), Sheet: read?.Sheet ?? null, HiddenSheets: read?.HiddenSheets ?? [] }
      : null,
    Counts: { Rows: read?.Rows ?? Math.max(totalOf(done), judgedBy(check)), Done: totalOf(done), ...done },
    Check: check
      ? {
          WouldCreate: check.WouldCreate,
          WouldUpdate: check.WouldUpdate,
          Unchanged: check.Unchanged,
          Skipped: check.Skipped,
          WouldFail: check.WouldFail,
          WouldUndo: check.WouldUndo ?? 0,
          WouldKeep: check.WouldKeep ?? 0,
        }
      : null,
    Progress: standing
      ? {
          Phase: standing.phase,
          Done: standing.done,
          RowsPerSecond: standing.rowsPerSecond,
          SecondsLeft: standing.secondsLeft,
          Waiting: standing.waiting,
        }
      : null,
    Columns: read?.Columns ?? [],
    Notices: (read?.Notices ?? []) as unknown as Json,
    Mapping: as('Mapping'),
    Bank: bankAnswer(whole),
    Questions: whole.questions as unknown as Json,
    Options: whole.options as unknown as Json,
    Reason: as('Reason'),
    Schedule: as('Schedule'),
    SameContentAs: as('SameContentAs'),
    Undoes: as('Undoes'),
    UndoneBy: as('UndoneBy'),
    By: { Id: by.Id, Name: by.Name },
    CommittedAt: as('CommittedAt'),
    FilesRemovedAt: as('FilesRemovedAt'),
  }
}

/** How many rows a check has judged. */
function judgedBy(check: Checked | undefined): number {
  if (!check) return 0
  const { WouldUndo = 0, WouldKeep = 0, Unchanged, WouldFail } = check
  return WouldUndo + WouldKeep + Unchanged + WouldFail
}

/** Of a bank file: what it is and what was chosen. */
function bankAnswer({ bank }: Import): Json {
  if (!bank) return null
  const { Format = null, Profile = null, Statements = null, Choices } = bank
  return { Format, Profile, Statements, Choices: Choices as Json }
}

/** A row with its cells by their columns. */
export function rowAnswer({ read, mapping }: Import, { result, cells }: ShownRow): Fields {
  const columns = read?.Columns ?? []
  const shown = columns.map((column, place) => [
    column,
    cells[place] === undefined ? null : textOf(cells[place]),
  ])
  const Errors = (result.fault?.faults ?? []).map(({ Field, Message }) => ({
    Field,
    Column: (mapping && columnOf(mapping, Field)) ?? null,
    Message,
  }))
  return { ...resultAnswer(result), Errors, Cells: Object.fromEntries(shown) as Fields }
}

function resultAnswer(result: RowResult): Fields {
  const { row, outcome, key = null, version = null, fault } = result
  return {
    Row: row,
    Outcome: outcome,
    Id: key,
    Version: version,
    Code: fault?.code ?? null,
    Message: fault ? faultText(result) : null,
  }
}
