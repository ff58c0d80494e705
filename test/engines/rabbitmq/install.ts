/**
 * Brings the RabbitMQ of the tests, Debian's package `rabbitmq-server`, unless it is there already.
 *
 *     node test/engines/rabbitmq/install.ts
 *
 * Needs Debian or Ubuntu and root. The packaged service is neither started nor left enabled: tests start nodes of their
 * own. Ends with 1 and says why when it cannot be had.
 */
import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { installedVersion, OLDEST } from './binary.ts'

const run = promisify(execFile)
const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
const apt = (...words: string[]) => run('apt-get', words, { env: environment, maxBuffer: 64 * 1024 * 1024 })

/** Debian's way to say that no package may start its service. */
const POLICY = '/usr/sbin/policy-rc.d'

async function install(): Promise<void> {
  const present = await installedVersion()
  if (present !== undefined) {
    console.log(`RabbitMQ ${present} is installed`)
    return
  }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error('apt-get and root are needed. Or set RABBITMQ_URL to a broker that is there already')

  const hadErlang = await isInstalled('erlang-base')
  const hadPolicy = existsSync(POLICY)
  if (!hadPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    console.log('installing rabbitmq-server; this takes a minute')
    await apt('update', '-q')
    await apt('install', '-y', '-q', '--no-install-recommends', 'rabbitmq-server')
  } finally {
    if (!hadPolicy) rmSync(POLICY)
  }
  await disable('rabbitmq-server.service', ...(hadErlang ? [] : ['epmd.socket', 'epmd.service']))

  const version = await installedVersion()
  if (version === undefined) throw new Error(`the package has no RabbitMQ ${OLDEST.join('.')} or later`)
  console.log(`RabbitMQ ${version} is installed`)
}

async function isInstalled(name: string): Promise<boolean> {
  try {
    return (await run('dpkg-query', ['-W', '-f', '${Status}', name])).stdout.endsWith(' installed')
  } catch {
    return false
  }
}

/** They are to run neither now nor after the next boot. */
async function disable(...units: string[]): Promise<void> {
  if (!existsSync('/usr/bin/systemctl')) return
  await run('systemctl', ['disable', ...units])
  if (existsSync('/run/systemd/system')) await run('systemctl', ['stop', ...units])
}

install().catch((error: unknown) => {
  const { message, stderr } = error as { message?: string; stderr?: string }
  console.error(`RabbitMQ cannot be installed: ${stderr?.trim() || message}`)
  process.exitCode = 1
})
