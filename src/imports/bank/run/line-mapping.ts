/** How staged lines become bank transactions. */
import type { Mapping } from '../../mapping/mapping.ts'
import { LINE_COLUMNS } from '../staging/line-row.ts'

/** Columns have the names of fields; a line that is there already stays as it is. */
export const LINE_MAPPING: Mapping = {
  Mode: 'create',
  KeyField: 'TransactionId',
  OnExisting: 'skip',
  Fields: {
    ...Object.fromEntries(LINE_COLUMNS.map((name) => [name, { Column: name }])),
    BankAccount: { Column: 'BankAccount', LookupBy: 'Id' },
    // It is made when the lines are: a check does not find it yet.
    Statement: { Column: 'Statement', LookupBy: 'Id', OnMissing: 'empty' },
  },
  UnknownColumns: 'ignore',
  MissingColumns: 'ignore',
  DuplicatesInFile: 'inOrder',
  AllowPastDates: true,
  EmptyCell: 'keep',
}
