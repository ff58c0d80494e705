/**
 * Measures the service of this folder beside that of another version, in one run: both are filled alike, and each scenario is
 * measured by turns, so that what else the machine does meets both. Writes run for a time, so the faster version has more records
 * after them: before reads that follow writes both are filled once more.
 *
 *     node bench/beside.ts /path/to/other/checkout [create,patch,bulk,list,search,get] [rounds] [seconds]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fill, type Dataset } from './dataset.ts'
import type { Figure } from './figures.ts'
import { startLoadGenerator, type LoadGenerator } from './load/client.ts'
import { measureBulk } from './measures/measure-bulk.ts'
import { measureScenario } from './measures/measure-load.ts'
import { coreForLoad } from './pinning.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { startDaybook, type RunningServer } from './servers.ts'

const [
  other,
  names = 'get,list,search,expand,filter-fresh,patch,create,bulk',
  rounds = '3',
  seconds = '3',
  profiled,
] = process.argv.slice(2)
const RECORDS = 10_000
const CONNECTIONS = 32
const BULK_ROWS = 20_000

interface Version {
  readonly name: string
  readonly dataDir: string
  readonly server: RunningServer
  readonly dataset: Dataset
}

/** What a figure comes to, and µs of computing for each request or row. */
interface Measured {
  readonly perSecond: number
  readonly computing: number
  readonly told: string
}

if (other === undefined) throw new Error('name the folder of another version: node bench/beside.ts ../other')
const folder = mkdtempSync(join(tmpdir(), 'daybook-beside-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
const generator = startLoadGenerator(coreForLoad())
/** How often stores were filled. */
let fills = 0
try {
  let [before, now] = await bothStarted(other)
  let run = 0
  let isWritten = false
  for (const name of names.split(',')) {
    if (isWritten && !writes(name)) {
      await bothStopped(before, now)
      ;[before, now] = await bothStarted(other)
    }
    isWritten = writes(name)
    const measured: { before: Measured[]; now: Measured[] } = { before: [], now: [] }
    for (let round = 0; round < Number(rounds); round++) {
      run++
      // Who comes first has an advantage or none: it is each by turns.
      const turns = [() => measureOne(before, name, run), () => measureOne(now, name, run)]
      const results: Measured[] = []
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) results[at] = await turns[at]!()
      measured.before.push(results[0]!)
      measured.now.push(results[1]!)
    }
    report(name, measured)
  }
  await bothStopped(before, now)
} finally {
  generator.stop()
}

function writes(name: string): boolean {
  return name === 'bulk' || scenarioOf(name).writes !== 'none'
}

function scenarioOf(name: string): Scenario {
  const scenario = SCENARIOS.find((one) => one.name === name)
  if (!scenario) throw new Error(`${name} is not a scenario`)
  return scenario
}

async function bothStarted(checkout: string): Promise<readonly [Version, Version]> {
  fills++
  return [await started('other', join(checkout, 'src', 'main.js')), await started('this', undefined)]
}

async function bothStopped(...versions: readonly Version[]): Promise<void> {
  for (const { server, dataDir } of versions) {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function started(name: string, source: string | undefined): Promise<Version> {
  const dataDir = join(folder, `${name}-${fills}`)
  mkdirSync(dataDir)
  const server = await startDaybook({
    dataDir,
    profile: profiled === 'profile',
    ...(source !== undefined && { source }),
  })
  const dataset = await fill(`http://127.0.0.1:${server.port}`, RECORDS, () => {})
  await delay(2_000)
  return { name, dataDir, server, dataset }
}

async function measureOne({ server, dataset }: Version, name: string, run: number): Promise<Measured> {
  const figure =
    name === 'bulk' ? (await measureBulk({ ...common(server, dataset), rows: BULK_ROWS }))[0]! : await load()
  return { perSecond: figure.perSecond, ...computingOf(figure) }

  function load(): Promise<Figure> {
    const timing = { seconds: Number(seconds), warmupSeconds: 1 }
    return measureScenario({
      ...common(server, dataset),
      ...timing,
      scenario: scenarioOf(name),
      bounds: {},
      connections: CONNECTIONS,
      run,
    })
  }
}

function common(
  server: RunningServer,
  dataset: Dataset,
): { server: RunningServer; generator: LoadGenerator; dataset: Dataset } {
  return { server, generator, dataset }
}

function computingOf({ notes }: Figure): { computing: number; told: string } {
  const told = notes.find((note) => note.includes('of computing each')) ?? ''
  return { computing: Number.parseInt(told, 10), told }
}

function report(name: string, { before, now }: { before: Measured[]; now: Measured[] }): void {
  const middle = (all: readonly Measured[], of: 'perSecond' | 'computing') =>
    all.map((one) => one[of]).sort((a, b) => a - b)[Math.floor((all.length - 1) / 2)]!
  const ratio = middle(now, 'perSecond') / middle(before, 'perSecond')
  const computing = middle(before, 'computing') / middle(now, 'computing')
  console.log(
    `${name}: ${Math.round(middle(before, 'perSecond'))}/s and ${Math.round(middle(now, 'perSecond'))}/s, ratio ${ratio.toFixed(2)}` +
      `; by computing ${computing.toFixed(2)}`,
  )
  const least = (all: readonly Measured[]) => all.reduce((a, b) => (b.computing < a.computing ? b : a)).told
  console.log(`    other: ${least(before)}\n    this:  ${least(now)}`)
}
