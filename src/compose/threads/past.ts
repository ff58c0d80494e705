/** The thread that answers as-of lists: which journal it reads. Started by the first question. */
import { parentPort, workerData } from 'node:worker_threads'
import { eventRanges } from '../../adapters/sqlite/events/event-range.ts'
import { answerLists } from '../../adapters/sqlite/past/answer-lists.ts'
import type { CutLimits } from '../../adapters/sqlite/past/cuts.ts'
import type { FromPast, ToPast } from '../../adapters/sqlite/past/past-lists.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import type { EventRanges } from '../../ports/journal.ts'

/** Where the journal is: with the events of a file, or in MongoDB. */
export type JournalPlace = { readonly path: string } | { readonly mongoUrl: string }

export interface PastData {
  readonly journal: JournalPlace
  /** Scratch files are made in here. */
  readonly folder: string
  readonly definitions: readonly ObjectDefinition[]
  readonly limits: CutLimits
}

/** The driver is loaded only here. */
async function mongoRanges(url: string): Promise<EventRanges> {
  return (await import('../../adapters/mongodb/journal/journal.ts')).mongoEventRanges({
    url,
    // Who asks here has asked the journal itself before.
    isInLog: async () => true,
  })
}

const { journal, folder, definitions, limits } = workerData as PastData
const lists = answerLists({
  events: 'path' in journal ? eventRanges(journal.path) : await mongoRanges(journal.mongoUrl),
  folder,
  definitions: new Map(definitions.map((definition) => [definition.object, definition])),
  limits,
})

parentPort!.on('message', (message: ToPast) => {
  if (message.kind === 'list')
    return void lists.answer(message).then((answer: FromPast) => parentPort!.postMessage(answer))
  void lists.close().finally(() => parentPort!.close())
})
