/** The write side put together: commands, and what keeps numbers, unique values and repeated requests right. */
import { idempotency } from '../../commands/support/idempotency.ts'
import { identifiers } from '../../commands/support/identifiers.ts'
import { keyedLocks } from '../../commands/support/keyed-locks.ts'
import { numberSequences } from '../../commands/support/number-sequence.ts'
import { recordStates } from '../../commands/support/record-states.ts'
import { uniqueClaims } from '../../commands/support/unique-claims.ts'
import { writeRecords } from '../../commands/write-records.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { CompanyKeys } from '../../identity/secrets/company-keys.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Stores } from '../stores.ts'
import { unclaimedFields } from '../../commands/unique/unclaimed-fields.ts'
import { bearersIn } from '../../commands/unique/unique-values.ts'

export interface WriteSideOptions {
  readonly stores: Pick<Stores, 'events' | 'readModels' | 'onlyWriter' | 'changes'>
  /** All objects, those that the service keeps for itself included. */
  readonly definitions: Definitions
  readonly clock: Clock
  readonly keys: Pick<CompanyKeys, 'nameOf' | 'seal' | 'open'>
  /** How long a write waits for reads to show it, in ms. */
  readonly readLagMs: number
  /** Called when a record has changed, before the change is answered. */
  readonly onChanged?: ((key: string) => void) | undefined
}

export type WriteSide = ReturnType<typeof openWriteSide>

export function openWriteSide({ stores, definitions, clock, keys, readLagMs, onChanged }: WriteSideOptions) {
  const { events, readModels, onlyWriter, changes } = stores
  const names = identifiers(clock)
  const states = recordStates({ events, onlyWriter, changes, onChanged })
  const unclaimed = unclaimedFields({ events, definitions, clock })
  const byEvents = { events, states, clock, nameOf: keys.nameOf }
  const parts = {
    definitions,
    events,
    readModels,
    clock,
    readLagMs,
    identifiers: names,
    states,
    unclaimed,
    claims: uniqueClaims({ ...byEvents, unclaimed: { has: unclaimed.has, bearers: bearersIn(readModels) } }),
    /** Which know of no value that is not claimed. */
    claimsByEvents: uniqueClaims(byEvents),
    numbers: numberSequences({ events, clock, newCommand: names.newCommand }),
    locks: keyedLocks(),
  }
  return {
    ...parts,
    write: writeRecords(parts),
    idempotency: idempotency({ events, now: clock.now, answers: keys }),
  }
}
