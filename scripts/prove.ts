/**
 * `npm run prove`: the rounds that take hours rather than minutes, one after the other: kills, power cuts, lost answers,
 * seeds of the simulation, the same bytes on two engines, the isolation matrix, and all rounds of what `npm run test:rest` has
 * few of. Before a release, on a machine at rest.
 * `npm run prove -- kill simulation` runs those named. Exit code 1 when one found a fault.
 */
import { spawnSync } from 'node:child_process'
import { commandLine } from './command-line.ts'

interface Proof {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Exit code of a proof that cannot be done on this machine. */
  readonly impossible?: number
}

const mocha = ['node_modules/mocha/bin/mocha.js', '--timeout', '3600000']

/** Of which `test/support/rounds.ts` has few otherwise. */
const ALL_ROUNDS = { FULL_ROUNDS: '1' }

const PROOFS: Readonly<Record<string, Proof>> = {
  simulation: {
    command: [...mocha, 'test/commands/simulation.test.ts'],
    environment: { SIMULATION_SEEDS: '500' },
  },
  kill: { command: ['scripts/faults/kill.ts', '--rounds', '100'] },
  'power-cut': { command: ['scripts/faults/power-cut.ts', '--rounds', '30'], impossible: 2 },
  'lost-answers': { command: ['scripts/faults/lost-answers.ts', '--count', '1000'] },
  mails: { command: ['scripts/faults/mails.ts', '--rounds', '200'] },
  'mails-held': { command: ['scripts/faults/mails.ts', '--rounds', '200', '--hold', '1'] },
  imports: { command: ['scripts/faults/imports.ts', '--kills', '50'] },
  syncs: { command: ['scripts/faults/syncs.ts', '--rounds', '100'] },
  mqtt: {
    command: [...mocha, 'test/faults/mqtt.test.ts'],
    environment: { MQTT_KILLS: '100' },
  },
  timers: { command: ['scripts/timers/virtual-year.ts'] },
  'mails-of-imports': {
    command: [...mocha, 'test/notifications/during-imports.test.ts'],
    environment: { STORM_ROWS: '10000' },
  },
  'timers-mails': { command: ['scripts/timers/virtual-year.ts', '--mails', '3'] },
  'same-bytes': {
    command: [...mocha, 'test/system/same-bytes.test.ts'],
    environment: { SAME_COMMANDS: '10000' },
  },
  matrix: { command: [...mocha, 'test/matrix/*.test.ts'], environment: ALL_ROUNDS },
  rest: {
    command: [...mocha, '--config', 'test/runs/rest.cjs', '--exclude', 'test/matrix/*.test.ts'],
    environment: ALL_ROUNDS,
  },
}

const USAGE = `usage: npm run prove -- [proof ...]\n\nproofs: ${Object.keys(PROOFS).join(', ')}`

const named = commandLine(USAGE, { positionals: [0, Infinity] }).positionals
const unknown = named.filter((name) => !Object.hasOwn(PROOFS, name))
if (unknown.length > 0)
  throw new Error(`There is no proof ${unknown.join(', ')}. There are ${Object.keys(PROOFS).join(', ')}.`)

const results = Object.entries(PROOFS)
  .filter(([name]) => named.length === 0 || named.includes(name))
  .map(([name, { command, environment, impossible }]) => {
    console.log(`\n=== ${name}`)
    const began = performance.now()
    const { status } = spawnSync(process.execPath, command, {
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    })
    const seconds = Math.round((performance.now() - began) / 1_000)
    const result = status === 0 ? 'holds' : status === impossible ? 'cannot be done here' : 'FAILED'
    return { name, result, seconds }
  })

console.log('')
for (const { name, result, seconds } of results) console.log(`${name.padEnd(16)} ${result} (${seconds} s)`)
process.exitCode = results.some(({ result }) => result === 'FAILED') ? 1 : 0
