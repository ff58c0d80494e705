/**
 * Keeps the logins of tools what their records say: one that was revoked or has expired, or whose user or company is shut out,
 * is dropped; one whose roles, or whose tables, are others sees the others. Several processes may do so at once.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { TableInfo } from '../../domain/warehouse/table-infos.ts'
import type { ToolLogin, ToolLogins } from '../../ports/tool-logins.ts'
import { grantedTables, readableOf } from '../../rights/granted-tables.ts'
import type { ActorAccess } from '../actor-access.ts'

export interface KeepToolLoginsOptions {
  readonly logins: Pick<ToolLogins, 'list' | 'allow' | 'drop' | 'endLong'>
  /** What a login may do, by its Key. @throws Unavailable */
  readonly accessOf: ActorAccess
  /** The records of logins. @throws Unavailable */
  readonly states: Pick<RecordStates, 'load'>
  /** Every table of the warehouse. @throws Unavailable */
  readonly tables: () => readonly TableInfo[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A login is made before its record, which may be on its way for so long. */
const YOUNG_MS = 120_000

/** Looks at all of them once. What cannot be judged now stays as it is. @throws Unavailable */
export async function settleToolLogins({
  logins,
  accessOf,
  states,
  tables,
  now,
}: KeepToolLoginsOptions): Promise<void> {
  await logins.endLong()
  const mayStillCome = async ({ company, key, madeAt }: ToolLogin) =>
    now() - madeAt <= YOUNG_MS && (await states.load(company, key)).status === 'absent'
  const settle = async (login: ToolLogin) => {
    const access = await accessOf(login.company, login.key)
    const granted = access ? grantedTables(tables(), access) : []
    if (granted.length > 0) await logins.allow(login, readableOf(granted))
    else if (!(await mayStillCome(login))) await logins.drop(login)
  }
  for (const login of await logins.list()) await settle(login)
}

export interface KeepingToolLogins {
  stop(): Promise<void>
}

/** Looks again and again, a pause apart, until it is stopped. Trouble is reported once, until it has passed. */
export function keepToolLogins({
  pauseMs,
  onTrouble,
  ...options
}: KeepToolLoginsOptions & {
  readonly pauseMs: number
  readonly onTrouble: (error: unknown) => void
}): KeepingToolLogins {
  const stopping = new AbortController()
  let isTrouble = false
  const run = async () => {
    while (!stopping.signal.aborted) {
      await settleToolLogins(options).then(
        () => (isTrouble = false),
        (error: unknown) => {
          if (!isTrouble) onTrouble(error)
          isTrouble = true
        },
      )
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
