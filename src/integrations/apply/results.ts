/** What became of the changes of a message, as the log shows it. */
import type { Fields } from '../../domain/json.ts'
import type { Disputed } from '../send/merge.ts'
import type { InboxState } from '../../ports/inbox.ts'

export interface ChangeResult {
  readonly Object: string
  /** `waiting`: it is too early for it, as far as anybody can know. */
  readonly Did: 'created' | 'updated' | 'unchanged' | 'ignored' | 'waiting' | 'rejected' | 'conflict'
  readonly Record: string | null
  readonly Reason?: string
  /** Fields that are left as they are since their lookup found nothing; `Reason` says what. */
  readonly Missing?: readonly string[]
  /** What both sides have changed, and a person decides on. */
  readonly Disputed?: readonly Disputed[]
  /** What would be written, where that was all that was asked. */
  readonly Fields?: Fields
}

/** What a row comes to. */
export function stateOf(results: readonly ChangeResult[]): {
  readonly state: InboxState
  readonly reason: string | undefined
} {
  const order = ['waiting', 'rejected', 'conflict', 'created', 'updated', 'unchanged', 'ignored'] as const
  const [did] = order.filter((one) => results.some(({ Did }) => Did === one))
  const reason = results.find(({ Did }) => Did === did)?.Reason
  if (did === undefined) return { state: 'ignored', reason: 'no rule of the integration takes it' }
  const isState = did === 'waiting' || did === 'rejected' || did === 'conflict' || did === 'ignored'
  if (isState) return { state: did, reason }
  const missing = results.flatMap(({ Missing, Reason }) => (Missing && Reason !== undefined ? [Reason] : []))
  return { state: 'applied', reason: missing.length > 0 ? [...new Set(missing)].join('; ') : undefined }
}
