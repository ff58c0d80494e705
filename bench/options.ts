/** The command line of the benchmark. */
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { SCENARIOS } from './scenarios.ts'

export interface Options {
  readonly records: readonly number[]
  readonly connections: readonly number[]
  readonly seconds: number
  readonly warmupSeconds: number
  /** Names of what is measured. */
  readonly only: ReadonlySet<string>
  /** How many rows the bulk import brings, and how many events a start finds. */
  readonly bulkRows: number
  readonly startEvents: number
  /** Where the stores of the run are made and removed again. */
  readonly folder: string
  /** Where filled stores are kept for other runs. */
  readonly keep: string | undefined
  readonly json: string | undefined
  /** `-` is the terminal; a file has the part between its markers replaced. */
  readonly markdown: string | undefined
  readonly profile: boolean
  /** Measure the distributed engines, with the embedded ones beside them. */
  readonly engines: boolean
  /** Size of the store, in contracts, where FerretDB keeps the read models: it takes its time for each. */
  readonly ferretDbRecords: number
}

/** What is no load on a running service but has its own way of being measured. */
export const OTHERS = ['warehouse', 'bulk', 'import', 'start', 'rebuild', 'idle'] as const

export const USAGE = `node bench/run.ts [options]

  --records 10000,1000000   sizes of the store, in contracts
  --connections 1,32        connections with one request under way each
  --seconds 5               how long each figure is measured
  --warmup 1                how long before that requests are sent and not counted
  --only get,list           ${[...SCENARIOS.map(({ name }) => name), ...OTHERS].join(', ')}
  --bulk-rows 50000         rows of the bulk import
  --start-events 100000     events that the measured start finds
  --dir folder              where the stores are made (default: the system's folder for temporary files);
                            a disk, not memory, or writes cost nothing
  --keep folder             filled stores are kept there, and used again by runs that name it; runs work on a copy
  --json file               all figures as JSON
  --markdown [file]         the table as Markdown; into the file, between its markers, when there is one
  --engines                 the distributed engines: those that EVENTSTORE_URL, MONGODB_URL and RABBITMQ_URL name, else those
                            of the tests; 10,000 contracts, 32 connections, 3 seconds each unless said otherwise
  --ferretdb-records 500    with --engines: contracts where read models are in FerretDB, for want of a MongoDB
  --profile                 after each scenario, the functions that took most of the service's time`

const USUAL = {
  embedded: { records: '10000,1000000', connections: '1,32', seconds: '5', bulkRows: '50000' },
  engines: { records: '10000', connections: '32', seconds: '3', bulkRows: '5000' },
} as const

/** @throws Error that says what is wrong with the command line */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: withDefault(args, '--markdown', '-'),
    options: {
      records: { type: 'string' },
      connections: { type: 'string' },
      seconds: { type: 'string' },
      warmup: { type: 'string', default: '1' },
      only: { type: 'string' },
      'bulk-rows': { type: 'string' },
      'start-events': { type: 'string', default: '100000' },
      dir: { type: 'string', default: tmpdir() },
      keep: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      profile: { type: 'boolean', default: false },
      engines: { type: 'boolean', default: false },
      'ferretdb-records': { type: 'string', default: '500' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const usual = values.engines ? USUAL.engines : USUAL.embedded
  return {
    records: numbers('records', values.records ?? usual.records, 1_000),
    connections: numbers('connections', values.connections ?? usual.connections, 1),
    seconds: number('seconds', values.seconds ?? usual.seconds, 0.1),
    warmupSeconds: number('warmup', values.warmup, 0),
    only: namesOf(values.only),
    bulkRows: number('bulk-rows', values['bulk-rows'] ?? usual.bulkRows, 500),
    startEvents: number('start-events', values['start-events'], 1_000),
    folder: values.dir,
    keep: values.keep,
    json: values.json,
    markdown: values.markdown,
    profile: values.profile,
    engines: values.engines,
    ferretDbRecords: number('ferretdb-records', values['ferretdb-records'], 200),
  }
}

/** An option whose value may be left out. */
function withDefault(args: readonly string[], option: string, value: string): string[] {
  return args.flatMap((arg, i) => {
    const bare = arg === option && (args[i + 1] === undefined || args[i + 1]!.startsWith('--'))
    return bare ? [`${arg}=${value}`] : [arg]
  })
}

function namesOf(list: string | undefined): ReadonlySet<string> {
  const known = [...SCENARIOS.map(({ name }) => name), ...OTHERS]
  const usual = [...SCENARIOS.filter(({ onDemand }) => !onDemand).map(({ name }) => name), ...OTHERS]
  const names = list === undefined ? usual : list.split(',')
  for (const name of names)
    if (!known.includes(name)) throw new Error(`--only ${name}: not one of ${known.join(', ')}`)
  return new Set(names)
}

function numbers(option: string, list: string, least: number): number[] {
  return list.split(',').map((text) => number(option, text, least))
}

function number(option: string, text: string, least: number): number {
  const value = Number(text)
  if (!(value >= least)) throw new Error(`--${option} ${text}: must be a number from ${least}`)
  return value
}
