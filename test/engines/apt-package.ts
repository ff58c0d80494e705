/** Installs a package of Debian or Ubuntu without starting the services that it brings. */
import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)
const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
const apt = (...words: string[]) => run('apt-get', words, { env, maxBuffer: 64 * 1024 * 1024 })

/** Debian's way to say that no package may start its service. */
const POLICY = '/usr/sbin/policy-rc.d'

/** @throws Error saying why it cannot be had */
export async function installPackage(name: string): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error('apt-get and root are needed')
  const hadPolicy = existsSync(POLICY)
  if (!hadPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await apt('update', '-q')
    await apt('install', '-y', '-q', '--no-install-recommends', name)
  } finally {
    if (!hadPolicy) rmSync(POLICY)
  }
}

/** Runs an installer: what goes wrong is said, and the process ends with 1. */
export function installing(engine: string, install: () => Promise<void>): void {
  install().catch((error: unknown) => {
    const { message, stderr } = error as { message?: string; stderr?: string }
    console.error(`${engine} cannot be installed: ${stderr?.trim() || message}`)
    process.exitCode = 1
  })
}
