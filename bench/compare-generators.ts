/**
 * Is the load generator fast enough to measure with? The same bare server, under this project's generator, autocannon,
 * and wrk where it is installed: a generator that reaches less than another is itself the bottleneck.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { startLoadGenerator } from './load/client.ts'
import { coreForLoad, pinned } from './pinning.ts'
import { get } from './requests.ts'
import { startBound } from './servers.ts'

const SECONDS = 3
const core = coreForLoad()
const autocannon = createRequire(import.meta.url).resolve('autocannon')

const server = await startBound('node-http')
const url = `http://127.0.0.1:${server.port}/`
const own = startLoadGenerator(core)
const requests = Array.from({ length: 1_000 }, (_, i) => get(`/api/v1/contract/${i}`))

for (const connections of [1, 32]) {
  const { perSecond } = await own.run({ port: server.port, requests, connections, seconds: SECONDS })
  tell(connections, 'own generator', perSecond)
  const cannon = output([process.execPath, autocannon, '-j', '-c', `${connections}`, '-d', `${SECONDS}`, url])
  if (cannon)
    tell(
      connections,
      'autocannon',
      (JSON.parse(cannon) as { requests: { average: number } }).requests.average,
    )
  const wrk = /Requests\/sec:\s+([\d.]+)/.exec(
    output(['wrk', '-t1', `-c${connections}`, `-d${SECONDS}`, url]),
  )
  if (wrk) tell(connections, 'wrk', Number(wrk[1]))
}
own.stop()
await server.stop()

/** What the command prints; nothing when it is not there. */
function output(command: readonly string[]): string {
  const [file, ...args] = pinned(core, command)
  const { status, stdout } = spawnSync(file!, args, { encoding: 'utf8' })
  return status === 0 ? stdout : ''
}

function tell(connections: number, generator: string, perSecond: number): void {
  console.log(
    `${String(connections).padStart(3)} connections, ${generator.padEnd(13)} ${Math.round(perSecond)} req/s`,
  )
}
