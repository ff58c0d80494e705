/** Reads a file in a thread with a heap of its own (`reader-thread.ts`): one that is too large ends that thread alone. */
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../domain/errors.ts'
import { FileRefused } from '../formats/reader.ts'
import type { FromImportReader } from './reader-thread.ts'
import type { StagedFile, StageFile } from './staged-file.ts'

/** What a reader may take; a file that needs more is refused. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

/**
 * Settles when the thread has ended: until then it may open a file in the folder that its caller removes.
 * @throws FileRefused with what is wrong with the file; Unavailable when the thread ended without a word
 */
export function stageInThread(job: StageFile): Promise<StagedFile> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      name: 'import-reader',
      workerData: job,
      resourceLimits: MEMORY,
    })
    let said: FromImportReader | undefined
    worker.once('message', (message: FromImportReader) => {
      said = message
      void worker.terminate()
    })
    let failure: NodeJS.ErrnoException | undefined
    worker.once('error', (error: NodeJS.ErrnoException) => (failure = error))
    worker.once('exit', () => {
      if (said?.kind === 'staged') resolve(said.file)
      else reject(reasonOf(said, failure))
    })
  })
}

function reasonOf(
  said: Exclude<FromImportReader, { readonly kind: 'staged' }> | undefined,
  failure: NodeJS.ErrnoException | undefined,
): Error {
  if (said?.kind === 'refused') return new FileRefused(said.code, said.message)
  if (said) return new Error(said.message)
  if (failure?.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new FileRefused(
      'too-large',
      'The file takes more memory to read than an import may have: import it in parts.',
    )
  return failure ?? new Unavailable('the thread that read the file has ended')
}
