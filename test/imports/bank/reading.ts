/** What the tests of bank statements share. */
import type {
  BankItem,
  BankLine,
  StatementOptions,
  StatementReader,
} from '../../../src/imports/bank/statement.ts'
import { statementFold, type CheckedStatement } from '../../../src/imports/bank/statement-check.ts'
import { inPieces } from '../formats/reading.ts'

export interface ReadStatements {
  readonly lines: readonly BankLine[]
  readonly unreadable: readonly string[]
  /** What the file says of itself and is not so. */
  readonly wrong: readonly string[]
  readonly notices: readonly string[]
  readonly checked: readonly CheckedStatement[]
}

/** Everything that the reader yields for the bytes. */
export async function readStatements(
  reader: StatementReader,
  bytes: Uint8Array | string,
  options: StatementOptions & { readonly piece?: number } = {},
): Promise<ReadStatements> {
  const items: BankItem[] = []
  const fold = statementFold()
  const checked: CheckedStatement[] = []
  for await (const item of reader(inPieces(Buffer.from(bytes), options.piece), options)) {
    items.push(item)
    const ended = fold.take(item)
    if (ended) checked.push(ended)
  }
  return {
    lines: items.flatMap((item) => (item.is === 'line' ? [item.line] : [])),
    unreadable: items.flatMap((item) => (item.is === 'unreadable' ? [item.message] : [])),
    wrong: items.flatMap((item) => (item.is === 'wrong' ? [item.message] : [])),
    notices: items.flatMap((item) => (item.is === 'notice' ? [item.message] : [])),
    checked,
  }
}
