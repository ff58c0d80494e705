/**
 * Installs the PostgreSQL of the tests, Debian's package `postgresql`, unless it is there already.
 *
 *     node test/engines/postgres/install.ts
 *
 * Needs Debian or Ubuntu and root. The packaged service is not started: tests start servers of their own. Ends with 1 and
 * says why when it cannot be installed.
 */
import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { installedVersion, OLDEST } from './binary.ts'

const run = promisify(execFile)
const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
const apt = (...words: string[]) => run('apt-get', words, { env, maxBuffer: 64 * 1024 * 1024 })

/** Debian's way to say that no package may start its service. */
const POLICY = '/usr/sbin/policy-rc.d'

async function install(): Promise<void> {
  const present = await installedVersion()
  if (present !== undefined) {
    console.log(`PostgreSQL ${present} is installed`)
    return
  }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error('apt-get and root are needed')
  const hadPolicy = existsSync(POLICY)
  if (!hadPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    console.log('installing postgresql; this takes a minute')
    await apt('update', '-q')
    await apt('install', '-y', '-q', '--no-install-recommends', 'postgresql')
  } finally {
    if (!hadPolicy) rmSync(POLICY)
  }
  // The modules are read once a process: ask a new one.
  const { stdout } = await run('sh', ['-c', 'ls /usr/lib/postgresql'])
  if (!stdout.split('\n').some((version) => Number(version) >= OLDEST))
    throw new Error(`the package is older than PostgreSQL ${OLDEST}`)
  console.log(`PostgreSQL ${stdout.trim()} is installed`)
}

install().catch((error: unknown) => {
  const { message, stderr } = error as { message?: string; stderr?: string }
  console.error(`PostgreSQL cannot be installed: ${stderr?.trim() || message}`)
  process.exitCode = 1
})
