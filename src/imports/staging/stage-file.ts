/** Reads a file of rows once and writes them as staged rows. It runs in a thread with a heap of its own, which may end without the service. */
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { stageBankFile } from '../bank/staging/stage-bank-file.ts'
import { readCsv } from '../formats/csv.ts'
import { readJson, readNdjson } from '../formats/json.ts'
import { DEFAULT_LIMITS, FileRefused, type FileFacts, type Notice, type Reader } from '../formats/reader.ts'
import { sniffed, SNIFFED_BYTES, type FileFormat } from '../formats/sniff.ts'
import { readXlsx } from '../formats/xlsx/xlsx.ts'
import { columnEvidence, type ColumnEvidence } from '../values/column-evidence.ts'
import type { StagedFile, StageFile } from './staged-file.ts'
import { stagedWriter } from './staged-rows.ts'

const READERS: Partial<Readonly<Record<string, Reader>>> = {
  csv: readCsv,
  json: readJson,
  ndjson: readNdjson,
  xlsx: readXlsx,
}
const MOST_NOTICES = 100

/** @throws FileRefused with what is wrong with the file */
export async function stageFile({ path, target, options, bank, limits }: StageFile): Promise<StagedFile> {
  const format = await formatOf(path)
  if (bank)
    return stageBankFile({ path, target, format, job: bank, limits: { ...DEFAULT_LIMITS, ...limits } })
  const reader = READERS[format]
  if (!reader)
    throw new FileRefused('other-format', 'It is a bank statement: send it to /api/v1/bankstatement/import.')
  const writer = stagedWriter()
  const out = createWriteStream(target, { flags: 'wx', mode: 0o600, highWaterMark: 1 << 20 })
  const notices: Notice[] = []
  const evidence: ColumnEvidence[] = []
  let columns: readonly string[] = []
  let facts: FileFacts | undefined
  const source = { bytes: createReadStream(path), path, folder: dirname(path) }
  for await (const item of reader(source, options, { ...DEFAULT_LIMITS, ...limits })) {
    if (item.is === 'file') facts = item.facts
    else if (item.is === 'columns') columns = item.columns
    else if (item.is === 'notice') {
      if (notices.length < MOST_NOTICES) notices.push(item.notice)
    } else {
      const { number, cells } = item.row
      while (evidence.length < columns.length) evidence.push(columnEvidence())
      for (const [place, cell] of cells.entries()) evidence[place]?.add(number, cell)
      if (!out.write(writer.row(item.row))) await once(out, 'drain')
    }
  }
  const { text, indexAt, rows } = writer.end(evidence.map((one) => one.findings()))
  out.end(text)
  await once(out, 'close')
  return { format, rows, indexAt, columns, facts, notices }
}

async function formatOf(path: string): Promise<FileFormat> {
  const file = await open(path)
  try {
    const head = new Uint8Array(SNIFFED_BYTES)
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    if (bytesRead === 0) throw new FileRefused('other-format', 'The file is empty.')
    return sniffed(head.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}
