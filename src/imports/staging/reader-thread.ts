/** The thread in which one file is read: with a heap of its own, which may end without the service. */
import { parentPort, workerData } from 'node:worker_threads'
import { FileRefused } from '../formats/reader.ts'
import { stageFile } from './stage-file.ts'
import type { StagedFile, StageFile } from './staged-file.ts'

/** What it says, once. */
export type FromImportReader =
  | { readonly kind: 'staged'; readonly file: StagedFile }
  | { readonly kind: 'refused'; readonly code: FileRefused['code']; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

const say = (message: FromImportReader) => parentPort!.postMessage(message)

try {
  say({ kind: 'staged', file: await stageFile(workerData as StageFile) })
} catch (error) {
  if (error instanceof FileRefused) say({ kind: 'refused', code: error.code, message: error.message })
  else
    say({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}
