/**
 * A RabbitMQ node for one test run: on free ports of 127.0.0.1, with its data, its cookie and its name service (epmd) of
 * its own, so that it neither finds nor disturbs another node of the machine.
 *
 * It ends by `stop`, and by itself when the process that started it ends, whatever way.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, mkdirSync, mkdtempSync, openSync, closeSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePorts } from '../free-ports.ts'
import { programs } from './binary.ts'

export interface RabbitMq {
  /** `amqp://127.0.0.1:<port>`; stays the same over `kill` and `start`. */
  readonly url: string
  readonly port: number
  /** Starts the node again after `kill`, on the data that it left. */
  start(): Promise<void>
  /** SIGKILL to the Erlang machine, as in a crash: nothing is flushed or handed over. */
  kill(): Promise<void>
  /** Only after `kill`: everything that the node knew is gone. */
  deleteData(): void
  /** Runs `rabbitmqctl` against the node and gives what it printed. */
  control(...command: readonly string[]): Promise<string>
  stop(): Promise<void>
}

const START_MS = 60_000
/** What operators are given. */
const ADVANCED_CONFIG = join(import.meta.dirname, '..', '..', '..', 'deploy', 'rabbitmq', 'advanced.config')

/** @throws Error with the node's own words when it does not start */
export async function startRabbitMq(): Promise<RabbitMq> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-rabbitmq-'))
  const [port, distribution, names] = await freePorts(3)
  const settings = environment({ folder, port: port!, distribution: distribution!, names: names! })
  const epmd = spawn(programs.epmd, ['-port', `${names}`, '-address', '127.0.0.1'], { stdio: 'ignore' })
  let node: Running | undefined

  const start = async () => {
    node = launch({ settings, folder, epmd })
    await accepting(port!, node, folder)
  }
  const kill = async () => {
    const ended = node
    node = undefined
    await ended?.kill()
  }
  const stop = async () => {
    await kill()
    epmd.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await once(epmd, 'spawn')
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `amqp://127.0.0.1:${port}`,
    port: port!,
    start,
    kill,
    deleteData: () => rmSync(join(folder, 'data'), { recursive: true, force: true, maxRetries: 5 }),
    control: async (...command) =>
      (await promisify(execFile)(programs.control, command, { env: settings })).stdout,
    stop,
  }
}

interface Running {
  readonly process: ChildProcess
  kill(): Promise<void>
}

function launch({
  settings,
  folder,
  epmd,
}: {
  readonly settings: NodeJS.ProcessEnv
  readonly folder: string
  readonly epmd: ChildProcess
}): Running {
  const words = openSync(join(folder, 'words'), 'a')
  // A group of its own, so that the Erlang machine's little helpers end with it.
  const server = spawn(programs.server, [], {
    env: settings,
    stdio: ['ignore', words, words],
    detached: true,
  })
  closeSync(words)
  const exited = once(server, 'exit')
  exited.catch(() => {})
  // Reads until this process is gone, and then ends what it has left behind.
  const guard = spawn(
    'sh',
    ['-c', 'cat > /dev/null; kill -KILL "$@"; rm -rf "$0"', folder, `-${server.pid}`, `${epmd.pid}`],
    { stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  )
  return {
    process: server,
    async kill() {
      guard.kill('SIGKILL')
      if (server.exitCode === null && server.signalCode === null) {
        process.kill(-server.pid!, 'SIGKILL')
        await exited
      }
    },
  }
}

/** Everything that could lead the node or its tools to another one, or another one to it. */
function environment({
  folder,
  port,
  distribution,
  names,
}: {
  readonly folder: string
  readonly port: number
  readonly distribution: number
  readonly names: number
}): NodeJS.ProcessEnv {
  mkdirSync(join(folder, 'data'))
  writeFileSync(
    join(folder, 'rabbitmq.conf'),
    `listeners.tcp.1 = 127.0.0.1:${port}\nlog.file.level = warning\nlog.console = false\n`,
  )
  writeFileSync(join(folder, 'enabled_plugins'), '[].\n')
  const loopback = '-kernel inet_dist_use_interface {127,0,0,1}'
  return {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    HOME: folder, // where the cookie is
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: `${names}`,
    RABBITMQ_NODENAME: `daybook-${randomUUID().slice(0, 8)}@localhost`,
    RABBITMQ_DIST_PORT: `${distribution}`,
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: ADVANCED_CONFIG,
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_ALLOW_INPUT: 'true', // the script becomes the Erlang machine: killing it kills that
    // Idle schedulers sleep: tests share the machine with others.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `${loopback} -noinput +sbwt none +sbwtdcpu none +sbwtdio none +S 2:2`,
    RABBITMQ_CTL_ERL_ARGS: loopback,
  }
}

/** Ready is who answers the header of AMQP with a frame. */
async function accepting(port: number, { process: server }: Running, folder: string): Promise<void> {
  const until = performance.now() + START_MS
  while (server.exitCode === null && server.signalCode === null && performance.now() < until) {
    if (await greets(port)) return
    await sleep(100)
  }
  const words = await text(createReadStream(join(folder, 'words')))
  throw new Error(`RabbitMQ did not start: ${words.slice(-2_000)}`)
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('AMQP\0\0\x09\x01'))
    const answer = (greeted: boolean) => {
      resolve(greeted)
      socket.destroy()
    }
    socket.setTimeout(1_000, () => answer(false))
    socket.once('data', ([kind]) => answer(kind === 1))
    socket.once('error', () => answer(false))
    socket.once('close', () => answer(false))
  })
}
