/** Files that are built from the events: one that is damaged is put aside, and built again. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { isDamage } from './open.ts'

/**
 * Opens a derived file or folder; where it is damaged, puts it aside and opens a new one.
 * @param onDamage called with where the damaged one is now, and why
 * @throws Error that names the file and what to do, when it cannot be opened for another reason
 */
export function openDerived<T>(
  path: string,
  open: () => T,
  onDamage: (aside: string, error: unknown) => void,
): T {
  try {
    return open()
  } catch (error) {
    if (!isDamage(error)) throw withAdvice(error)
    onDamage(putAside(path), error)
    return open()
  }
}

function putAside(path: string): string {
  const aside = `${path}.damaged`
  rmSync(aside, { recursive: true, force: true })
  renameSync(path, aside)
  for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) rmSync(path + suffix)
  return aside
}

function withAdvice(error: unknown): unknown {
  if (error instanceof Error && 'errcode' in error)
    error.message +=
      '. It is built from the events: check its permissions, or delete it while the service is stopped'
  return error
}
