/**
 * Workbooks (.xlsx, .xlsm without its macros), as a stream: transitional and strict, whatever wrote them. Nothing outside
 * the file is read, and memory does not grow with its rows (`docs/decisions/own-readers.md`).
 */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { boundedBytes } from '../bounded-bytes.ts'
import {
  DEFAULT_LIMITS,
  type Notice,
  type Reader,
  type ReaderItem,
  type ReadLimits,
  type ReadOptions,
  type Source,
} from '../reader.ts'
import { tableOf } from '../table.ts'
import { openArchive, type Archive } from './archive.ts'
import { filledRows, mergedAreas } from './merged-cells.ts'
import { cellShapes } from './number-formats.ts'
import { sharedStrings } from './shared-strings.ts'
import { sheetRows, type SheetFacts } from './sheet.ts'
import { chosenSheet, openWorkbook } from './workbook.ts'

/** Sheets end after so many empty rows, unless the profile says otherwise: formats alone may go on to the last row. */
const EMPTY_ROWS = 50

export const readXlsx: Reader = async function* (source, options = {}, limits = DEFAULT_LIMITS) {
  const path = source.path ?? (await copied(source, limits))
  try {
    await using archive = await openArchive(path, limits)
    yield* readArchive(archive, { folder: source.folder, options, limits })
  } finally {
    if (source.path === undefined) await rm(path, { force: true })
  }
}

interface Reading {
  readonly folder: string
  readonly options: ReadOptions
  readonly limits: ReadLimits
}

async function* readArchive(
  archive: Archive,
  { folder, options, limits }: Reading,
): AsyncGenerator<ReaderItem, void> {
  const workbook = await openWorkbook(archive)
  const sheet = chosenSheet(workbook, options)
  const sheets = workbook.sheets.map(({ name, hidden }) => ({ name, hidden }))
  yield { is: 'file', facts: { format: 'xlsx', sheet: sheet.name, sheets } }
  if (sheet.notice) yield { is: 'notice', notice: sheet.notice }
  const shapes = await cellShapes(archive, workbook.styles)
  using strings = await sharedStrings(
    workbook.sharedStrings === undefined ? undefined : archive.text(workbook.sharedStrings),
    { folder, limits },
  )
  const facts: SheetFacts = { hiddenRows: 0, mergedCells: 0, formulas: 0 }
  const context = { strings, shapes, from1904: workbook.from1904, limits }
  const plain = sheetRows(archive.text(sheet.path), context, facts)
  const rows = options.fillMerged
    ? filledRows(plain, await mergedAreas(archive.text(sheet.path)), limits.columns)
    : plain
  yield* tableOf(rows, { stopAtEmptyRows: EMPTY_ROWS, ...options }, limits, { grows: true })
  for (const notice of noticesOf(facts, options)) yield { is: 'notice', notice }
}

function noticesOf({ hiddenRows, mergedCells, formulas }: SheetFacts, { fillMerged }: ReadOptions): Notice[] {
  const notices: Notice[] = []
  if (hiddenRows > 0)
    notices.push({
      code: 'rows-hidden',
      message: `${hiddenRows} rows are hidden in the sheet; they are read too.`,
    })
  if (mergedCells > 0 && !fillMerged)
    notices.push({
      code: 'merged-cells',
      message: `${mergedCells} areas of the sheet are merged: only the first cell of each has its value.`,
    })
  if (formulas > 0)
    notices.push({
      code: 'formulas',
      message: `${formulas} cells are formulas: their last results are read.`,
    })
  return notices
}

/** A ZIP archive has its list of contents at the end: it is read from a file. */
async function copied({ bytes, folder }: Source, limits: ReadLimits): Promise<string> {
  const path = join(folder, `workbook-${randomUUID()}.tmp`)
  try {
    await pipeline(boundedBytes(bytes, limits.bytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return path
}
