/** Reads a file in a thread with a heap of its own (`reader-thread.ts`): one that is too large ends that thread alone. */
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../domain/errors.ts'
import { FileRefused } from '../formats/reader.ts'
import type { FromImportReader } from './reader-thread.ts'
import type { StagedFile, StageFile } from './staged-file.ts'

/** What a reader may take; a file that needs more is refused. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

/** @throws FileRefused with what is wrong with the file; Unavailable when the thread has ended */
export function stageInThread(job: StageFile): Promise<StagedFile> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      name: 'import-reader',
      workerData: job,
      resourceLimits: MEMORY,
    })
    worker.once('message', (message: FromImportReader) => {
      if (message.kind === 'staged') resolve(message.file)
      else if (message.kind === 'refused') reject(new FileRefused(message.code, message.message))
      else reject(new Error(message.message))
    })
    worker.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new FileRefused(
              'too-large',
              'The file takes more memory to read than an import may have: import it in parts.',
            )
          : error,
      ),
    )
    worker.once('exit', () => reject(new Unavailable('the thread that read the file has ended')))
  })
}
