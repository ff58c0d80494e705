/** Positions as clients see them: sealed by a key that every process derives from the same secrets, and of this log only. */
import { positionTokens, type PositionTokens } from './position-tokens.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'

export interface Positions extends PositionTokens {
  /** The identity of the log; before it is known, nothing can be written or read. */
  setLog(log: string): void
}

export function openPositions(sealer: Pick<Sealer, 'deriveAll'>): Positions {
  let known: string | undefined
  const tokens = positionTokens({
    keys: () => [...sealer.deriveAll('positions').values()],
    log() {
      if (known === undefined) throw new Unavailable('which log is kept is not known yet')
      return known
    },
  })
  return { ...tokens, setLog: (log) => void (known = log) }
}
