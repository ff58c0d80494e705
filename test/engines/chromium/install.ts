/**
 * Installs the browser of the tests, Debian's package `chromium`, unless there is one already.
 *
 *     node test/engines/chromium/install.ts
 *
 * Needs Debian and root. Ends with 1 and says why when it cannot be installed.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { chromium } from './binary.ts'

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
const apt = (...words: string[]) =>
  promisify(execFile)('apt-get', words, { env, maxBuffer: 64 * 1024 * 1024 })

async function install(): Promise<void> {
  if (chromium !== undefined) {
    console.log(`Chromium is installed: ${chromium}`)
    return
  }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error('apt-get and root are needed')
  console.log('installing chromium; this takes a minute')
  await apt('update', '-q')
  await apt('install', '-y', '-q', '--no-install-recommends', 'chromium')
  if (!existsSync('/usr/bin/chromium')) throw new Error('the package has no /usr/bin/chromium')
  console.log('Chromium is installed')
}

install().catch((error: unknown) => {
  const { message, stderr } = error as { message?: string; stderr?: string }
  console.error(`Chromium cannot be installed: ${stderr?.trim() || message}`)
  process.exitCode = 1
})
