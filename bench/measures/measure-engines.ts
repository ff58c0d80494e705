/**
 * The scenarios on the distributed engines, and on the embedded ones in the same run, with the same contracts: first with
 * events alone kept by a server, then with everything. One process has all roles each time.
 *
 * FerretDB takes so long for each write that the last part then has a store of its own with few contracts.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fill, type Dataset } from '../dataset.ts'
import { startEngines } from '../engines.ts'
import type { Figure } from '../figures.ts'
import type { LoadGenerator } from '../load/client.ts'
import { measureBulk, readable } from './measure-bulk.ts'
import { measureScenario } from './measure-load.ts'
import type { Options } from '../options.ts'
import { figureLine } from '../report.ts'
import { SCENARIOS, type Scenario } from '../scenarios.ts'
import { startDaybook, type RunningServer } from '../servers.ts'

export interface EnginesRun {
  readonly options: Options
  readonly folder: string
  readonly generator: LoadGenerator
}

export interface EnginesResults {
  readonly figures: readonly Figure[]
  /** What the engines are. */
  readonly engines: readonly string[]
}

/** After a fill, stores still move their logs into their files. */
const SETTLE_MS = 2_000
/** Rows of a batch: each is several calls to a server that has to share this machine. */
const FILLED_BY = 100
/** FerretDB finds documents by their id; for anything else it looks at every document of the collection. */
const BY_KEY: readonly string[] = ['get', 'patch', 'create']

/** @throws Error when an engine is not there */
export async function measureEngines(run: EnginesRun): Promise<EnginesResults> {
  const { options } = run
  const [records] = options.records
  const wanted = SCENARIOS.filter(({ name }) => options.only.has(name))
  const byKey = wanted.filter(({ name }) => BY_KEY.includes(name))
  const alone: EnginesRun = { ...run, options: { ...options, connections: [1], only: new Set() } }
  const embedded = await serving(run, 'embedded', {}, async (server) => {
    const dataset = await filled(server, records!)
    const figures = await measure(run, server, dataset, wanted)
    return [...figures, ...(await measure(alone, server, dataset, byKey, figures.length))]
  })
  const beside = (figures: readonly Figure[], on: string) =>
    figures.map((figure) => ({ ...figure, on, embedded: counterpart(figure, embedded) }))

  const engines = await startEngines(run.folder)
  try {
    for (const fact of engines.facts) console.log(fact)
    const { EVENTSTORE_URL, SECRETS_KEYS } = engines.settings
    const [dataset, first] = await serving(
      run,
      'events',
      { EVENTSTORE_URL, SECRETS_KEYS },
      async (server) => {
        const dataset = await filled(server, records!)
        return [dataset, await measure(run, server, dataset, wanted)] as const
      },
    )
    // The same events, where they can be: the read models are built from them before it is ready.
    const own = engines.listsRecords ? EVENTSTORE_URL : await engines.freshEvents()
    const settings = { ...engines.settings, EVENTSTORE_URL: own }
    const second = await serving(run, 'all', settings, async (server) => {
      await delay(SETTLE_MS)
      if (engines.listsRecords) return measure(run, server, dataset, wanted, first.length)
      const few = await filled(server, options.ferretDbRecords)
      return measure(alone, server, few, byKey)
    })
    return {
      figures: [...beside(first, 'events in EventStoreDB'), ...beside(second, 'all three')],
      engines: [
        ...engines.facts,
        ...(engines.listsRecords
          ? []
          : [
              'FerretDB reads a whole collection for every list, and takes long for a write: only what goes by Key is ' +
                `measured on it, one at a time, with ${options.ferretDbRecords.toLocaleString('en')} contracts`,
            ]),
      ],
    }
  } finally {
    await engines.stop()
  }
}

async function serving<T>(
  { folder, options }: EnginesRun,
  name: string,
  settings: Readonly<Record<string, string>>,
  work: (server: RunningServer) => Promise<T>,
): Promise<T> {
  const dataDir = join(folder, name)
  mkdirSync(dataDir)
  console.log(`\n${name}`)
  const server = await startDaybook({ dataDir, settings, profile: options.profile })
  console.log(`ready after ${(server.readyAfter / 1_000).toFixed(1)} s`)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

async function filled(server: RunningServer, records: number): Promise<Dataset> {
  console.log(`filling it with ${records.toLocaleString('en')} contracts`)
  const dataset = await fill(`http://127.0.0.1:${server.port}`, records, () => {}, FILLED_BY)
  console.log(`filled, ${Math.round(dataset.rowsPerSecond).toLocaleString('en')} rows/s`)
  await readable(server.port, dataset.positions)
  await delay(SETTLE_MS)
  return dataset
}

/** @param before measurements that the same events have seen: a change must never be one that was made before */
async function measure(
  { options, generator }: EnginesRun,
  server: RunningServer,
  dataset: Dataset,
  wanted: readonly Scenario[],
  before = 0,
): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const note = (figure: Figure) => {
    figures.push(figure)
    console.log(figureLine(figure))
  }
  const { seconds, warmupSeconds, only } = options
  // Those that read come first, as everywhere.
  const scenarios = [false, true].flatMap((writes) =>
    wanted.filter((scenario) => (scenario.writes !== 'none') === writes),
  )
  let runs = before
  for (const scenario of scenarios)
    for (const connections of options.connections) {
      const timing = { seconds, warmupSeconds, connections, bounds: {}, run: ++runs }
      note(await measureScenario({ ...timing, scenario, server, generator, dataset }))
    }
  if (only.has('bulk'))
    for (const figure of await measureBulk({ server, generator, dataset, rows: options.bulkRows }))
      note(figure)
  return figures
}

function counterpart({ name, connections }: Figure, embedded: readonly Figure[]): Figure['embedded'] {
  return embedded.find((one) => one.name === name && one.connections === connections)
}
