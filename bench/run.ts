/**
 * The benchmark: starts its own service, fills it, measures what docs/benchmarks.md describes, and the bounds beside it.
 *
 * Figures depend on the machine and on what else it does; nothing here is a test. A run with an answer that is not 2xx
 * fails.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { atRest } from './at-rest.ts'
import { fill, type Dataset } from './dataset.ts'
import type { Bounds, Fact, Figure, Results } from './figures.ts'
import { copyStore, keepStore, keptStore } from './kept-store.ts'
import { startLoadGenerator, type LoadGenerator } from './load/client.ts'
import { describeMachine } from './machine.ts'
import { measureBulk } from './measures/measure-bulk.ts'
import { measureImport } from './measures/measure-import.ts'
import { measureEngines } from './measures/measure-engines.ts'
import { measureExpressBound, measureHttpBound, measureScenario } from './measures/measure-load.ts'
import { measureLiveRebuild } from './measures/measure-live-rebuild.ts'
import { measureWarehouse } from './measures/measure-warehouse.ts'
import { measureIdle, measureRebuild, measureStart } from './measures/measure-starts.ts'
import { readOptions, USAGE, type Options } from './options.ts'
import { coreForLoad } from './pinning.ts'
import { EMBEDDED, ENGINES, factLine, figureLine, intoPage, markdown, terminalTable } from './report.ts'
import { SCENARIOS } from './scenarios.ts'
import { startBound, startDaybook, type RunningServer } from './servers.ts'

interface Run extends Results {
  readonly options: Options
  readonly folder: string
  readonly generator: LoadGenerator
  /** What broke off a part of the run. */
  readonly troubles: string[]
  /** What the engines are, where they are measured. */
  readonly engines: string[]
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return console.log(USAGE)
  const machine = describeMachine(options.folder)
  const core = coreForLoad()
  for (const line of machine.facts) console.log(line)
  console.log(
    core === undefined ? 'nothing is pinned to a core' : `load from core ${core}; servers on all cores`,
  )
  for (const warning of machine.warnings) console.log(`WARNING: ${warning}`)

  const folder = mkdtempSync(join(options.folder, 'daybook-bench-'))
  const generator = startLoadGenerator(core)
  const run: Run = { options, folder, generator, figures: [], facts: [], troubles: [], engines: [] }
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.once('SIGINT', () => process.exit(130))
  try {
    if (options.engines) await attempt(run, () => measureDistributed(run))
    else {
      for (const records of options.records) await attempt(run, () => measureSize(run, records))
      await attempt(run, () => measureStarts(run))
    }
  } finally {
    generator.stop()
  }

  const layout = options.engines ? ENGINES : EMBEDDED
  console.log(`\n${terminalTable(run, layout)}`)
  const { figures, facts } = run
  if (options.json) writeFileSync(options.json, JSON.stringify({ machine, figures, facts }, null, 2))
  if (options.markdown) {
    const measuredOn = { ...machine, facts: [...machine.facts, ...run.engines] }
    const text = markdown(run, measuredOn, new Date().toISOString().slice(0, 10), layout)
    if (options.markdown === '-') console.log(`\n${text}`)
    else intoPage(options.markdown, text, layout)
  }
  const failures = [
    ...run.troubles,
    ...facts.flatMap(({ notes }) => notes.filter((one) => one.startsWith('failed'))),
    ...figures.filter(({ errors }) => errors > 0).map(({ title, errors }) => `${title}: ${errors} errors`),
  ]
  if (failures.length === 0) return
  console.log(`\nTHE RUN HAS FAILED:\n  ${failures.join('\n  ')}`)
  process.exitCode = 1
}

/** A part of the run; where it breaks off, the others are measured all the same. */
async function attempt(run: Run, part: () => Promise<void>): Promise<void> {
  try {
    await part()
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error)
    console.log(`broken off: ${trouble}`)
    run.troubles.push(trouble)
  }
}

async function measureDistributed(run: Run): Promise<void> {
  const { figures, engines } = await measureEngines(run)
  run.figures.push(...figures)
  run.engines.push(...engines)
}

/** Everything that is measured on a store of this many contracts. */
async function measureSize(run: Run, records: number): Promise<void> {
  const { options, generator } = run
  const scenarios = SCENARIOS.filter(({ name }) => options.only.has(name))
  const wanted =
    scenarios.length > 0 || ['warehouse', 'bulk', 'import', 'rebuild'].some((name) => options.only.has(name))
  if (!wanted) return
  const { server, dataset, dataDir } = await storeOf(run, records)

  const bounds = new Map<number, Bounds>()
  if (scenarios.length > 0) {
    const kinds = new Set(scenarios.map(({ bound }) => bound))
    for (const connections of options.connections)
      bounds.set(connections, await measureBounds(run, dataset, kinds, connections))
  }
  const reads = scenarios.filter(({ writes }) => writes === 'none')
  const writes = scenarios.filter((scenario) => !reads.includes(scenario))
  let count = 0
  for (const group of [reads, ...writes.map((scenario) => [scenario])])
    for (const connections of options.connections)
      for (const scenario of group) {
        const { seconds, warmupSeconds } = options
        const timing = { seconds, warmupSeconds, connections, bounds: bounds.get(connections)! }
        note(run, await measureScenario({ ...timing, scenario, server, generator, dataset, run: ++count }))
      }
  if (options.only.has('bulk'))
    for (const figure of await measureBulk({ server, generator, dataset, rows: options.bulkRows }))
      note(run, figure)
  if (options.only.has('import')) note(run, await measureImport({ server, dataset, rows: options.bulkRows }))
  await server.stop()
  if (options.only.has('warehouse')) {
    const { figures, facts } = await measureWarehouse(dataDir, dataset)
    for (const figure of figures) note(run, figure)
    for (const fact of facts) noteFact(run, fact)
  }
  if (options.only.has('rebuild')) {
    noteFact(run, await measureRebuild(dataDir))
    noteFact(run, await measureLiveRebuild(dataDir, dataset))
  }
  rmSync(dataDir, { recursive: true })
}

/** A service on a store of this size: filled now, or a copy of one that was kept. */
async function storeOf(run: Run, records: number) {
  const { profile, keep } = run.options
  const dataDir = newFolder(run, `store-${records}`)
  const kept = keep === undefined ? undefined : keptStore(keep, records)
  if (kept) {
    copyStore(kept.path, dataDir)
    const server = await startDaybook({ dataDir, profile })
    await atRest(dataDir)
    return { server, dataset: kept.dataset, dataDir }
  }
  let server = await startDaybook({ dataDir, profile })
  const dataset = await filled(server, records)
  await atRest(dataDir)
  if (keep !== undefined) {
    await server.stop()
    keepStore(keep, dataDir, dataset)
    server = await startDaybook({ dataDir, profile })
  }
  return { server, dataset, dataDir }
}

async function measureBounds(
  run: Run,
  dataset: Dataset,
  kinds: ReadonlySet<'get' | 'create' | 'mixed'>,
  connections: number,
): Promise<Bounds> {
  const { options, generator } = run
  const { seconds, warmupSeconds } = options
  const timing = { generator, connections, seconds, warmupSeconds }
  const bare = await startBound('node-http')
  const http = note(run, await measureHttpBound({ ...timing, server: bare }))
  await bare.stop()
  const found: { get?: number; create?: number; mixed?: number } = {}
  const folder = newFolder(run, 'bound')
  const express = await startBound('express-sqlite', [folder, String(dataset.records)])
  for (const kind of ['get', 'mixed', 'create'] as const)
    if (kinds.has(kind))
      found[kind] = note(
        run,
        await measureExpressBound(kind, dataset, { ...timing, server: express }),
      ).perSecond
  if (kinds.has('create'))
    note(run, await measureExpressBound('grouped', dataset, { ...timing, server: express }))
  await express.stop()
  rmSync(folder, { recursive: true })
  return { http: http.perSecond, ...found }
}

/** A start on a store of its own size, and memory at rest. */
async function measureStarts(run: Run): Promise<void> {
  const { options } = run
  if (options.only.has('idle'))
    for (const fact of await measureIdle(newFolder(run, 'empty'))) noteFact(run, fact)
  if (!options.only.has('start')) return
  const dataDir = newFolder(run, 'starts')
  const server = await startDaybook({ dataDir })
  await filled(server, options.startEvents)
  await server.stop()
  for (const fact of await measureStart(dataDir)) noteFact(run, fact)
}

async function filled({ port }: RunningServer, records: number): Promise<Dataset> {
  const size = records.toLocaleString('en')
  console.log(`\nfilling a store with ${size} contracts`)
  let told = 0
  const dataset = await fill(`http://127.0.0.1:${port}`, records, (done) => {
    const tenth = Math.floor((done / records) * 10)
    if (records >= 100_000 && tenth > told) console.log(`  ${(told = tenth) * 10} %`)
  })
  console.log(`filled, ${Math.round(dataset.rowsPerSecond).toLocaleString('en')} rows/s`)
  return dataset
}

function newFolder({ folder }: Run, name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

function note(run: Run, figure: Figure): Figure {
  run.figures.push(figure)
  console.log(figureLine(figure))
  return figure
}

function noteFact(run: Run, fact: Fact): void {
  run.facts.push(fact)
  console.log(factLine(fact))
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
