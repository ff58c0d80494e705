/** Opens the event file of a data folder for its one writer; what is wrong with it says what to do. */
import { join } from 'node:path'
import { refuseMissingEvents } from '../files/missing-events.ts'
import { isDamage, naming } from '../files/open.ts'
import { openEventLog } from './event-log.ts'
import { messageOf } from '../../../domain/errors.ts'

/** @throws Error that names the file and what to do */
export function openEvents(dataDir: string) {
  refuseMissingEvents(dataDir)
  const path = join(dataDir, 'events.db')
  try {
    return naming(path, () => openEventLog(path))
  } catch (error) {
    const advice = isDamage(error)
      ? 'Events cannot be rebuilt: restore a backup (docs/durability.md)'
      : 'Check that the service may read and write it, or restore a backup (docs/durability.md)'
    throw new Error(`${messageOf(error)}. ${advice}`, { cause: error })
  }
}
