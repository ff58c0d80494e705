/**
 * A thread that builds the embedded read models from the first event into a file of their own, while the engine thread
 * keeps those that are served. It ends when the file is whole, some events short of the present: the thread that takes the file over follows from there.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { buildReadModels } from '../../adapters/sqlite/read-models/build-read-models.ts'
import type { FromRebuild } from '../../adapters/sqlite/read-models/keep-read-models.ts'
import { pacedProgress } from '../../projections/paced-progress.ts'
import { openSource, type SourceData } from '../source.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { lastOf, workOf } from '../../projections/projection.ts'
import { readModelProjections } from '../../projections/read-model-projections.ts'

export interface RebuildData extends SourceData {
  readonly path: string
  readonly definitions: readonly ObjectDefinition[]
}

const { path, definitions: list, ...from } = workerData as RebuildData
const say = (message: FromRebuild) => parentPort!.postMessage(message)

const definitions = new Map(list.map((definition) => [definition.object, definition]))
const projections = readModelProjections(definitions)
const source = await openSource(from, 'records')
const build = buildReadModels({ path, definitions })
try {
  const of = await source.head()
  const progress = pacedProgress((position) => say({ kind: 'progress', position, of }))
  if (of > 0)
    for await (const { events, position } of source.subscribe(0)) {
      await build.apply(workOf(projections, events), position, lastOf(events))
      progress(position)
      if (position >= of) break
    }
  await build.finish()
} catch (error) {
  await build.abandon()
  throw error
} finally {
  await source.close()
}
say({ kind: 'whole' })
