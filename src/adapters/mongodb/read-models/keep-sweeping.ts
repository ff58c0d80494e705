/** The process that leads removes, now and then, the generations that nobody needs any more. */
import type { Checkpoint } from '../checkpoint.ts'
import type { Connection } from '../connection.ts'
import { otherGenerations } from './generations.ts'

export interface KeepSweepingOptions {
  readonly connection: Connection
  readonly checkpoint: Checkpoint
  readonly isLeading: () => boolean
  readonly onTrouble: (message: string, error: unknown) => void
}

const SWEEP_MS = 60_000

export function keepSweeping({
  connection,
  checkpoint,
  isLeading,
  onTrouble,
}: KeepSweepingOptions): NodeJS.Timeout {
  const others = otherGenerations(connection)
  const sweep = async () => {
    if (!isLeading()) return
    const { positions } = await checkpoint.read()
    await others.sweep(Math.min(...positions.values()))
  }
  return setInterval(
    () =>
      void sweep().catch((error: unknown) => onTrouble('Old read models cannot be removed for now.', error)),
    SWEEP_MS,
  ).unref()
}
