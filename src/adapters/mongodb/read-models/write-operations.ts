/** A batch of operations, written as the records that they leave. */
import type { Definitions } from '../../../domain/definition.ts'
import { Unavailable } from '../../../domain/errors.ts'
import type { Connection } from '../connection.ts'
import { changesOf, type Placed, type Renamed } from './record-changes.ts'
import { writeChanges } from './write-changes.ts'

export interface WriteOperationsOptions {
  readonly connection: Connection
  readonly definitions: Definitions
  /** Whether it is still for this process to write. */
  readonly isMine: () => boolean
  readonly onTrouble: (message: string, error: unknown) => void
}

const TRIES = 5

/**
 * Answers the records whose display field changed.
 * @throws Unavailable while another process writes the same records
 */
export async function writeOperations(
  operations: readonly Placed[],
  { connection, definitions, isMine, onTrouble }: WriteOperationsOptions,
): Promise<readonly Renamed[]> {
  for (let tries = 1; ; tries++) {
    const { changed, renamed } = await changesOf({ connection, definitions, operations })
    if (await writeChanges({ connection, changes: changed, onTrouble })) return renamed
    if (!isMine() || tries === TRIES) throw new Unavailable('another process writes the same records')
  }
}
