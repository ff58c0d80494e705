/** Which RabbitMQ the tests use, and where Debian's package puts it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * The scripts themselves; those in `/usr/sbin` change to the user and the folders of the packaged service. `server` is a
 * link into a folder that is named by the version.
 */
export const programs = {
  server: '/usr/lib/rabbitmq/bin/rabbitmq-server',
  control: '/usr/lib/rabbitmq/bin/rabbitmqctl',
  epmd: 'epmd',
} as const

/** The oldest one whose quorum queues expire messages and dead-letter them at least once. */
export const OLDEST = [3, 10] as const

const isRecentEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/** The version that is installed; undefined when there is none that the tests can use. */
export async function installedVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('readlink', ['-f', programs.server])
    const version = /rabbitmq_server-(\d+\.\d+\.\d+)\//.exec(stdout)?.[1]
    return version !== undefined && isRecentEnough(version) ? version : undefined
  } catch {
    return undefined
  }
}
